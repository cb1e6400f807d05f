import Foundation

/// A block of code in a text of the manual.
package struct Block {
    package let file: String
    /// The line of its first line in the file.
    package let line: Int
    package let lines: [String]

    package init(file: String, line: Int, lines: [String]) {
        (self.file, self.line, self.lines) = (file, line, lines)
    }
}

/// README.md, SWIFT.md, and the articles of all catalogues.
package enum Manual {
    /// The folder of the package.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All blocks in a language, with the place of their first line.
    package static func blocks(of language: String) throws -> [Block] {
        let articles = try ["Sources", "handlers"].flatMap { try files(in: $0, ending: ".md") }
        return try (["README.md", "SWIFT.md", "CONTRIBUTING.md"] + articles).flatMap { file in
            blocks(
                of: language, in: file, try String(contentsOf: root.appending(path: file), encoding: .utf8))
        }
    }

    /// The paths of files, sorted.
    package static func files(in folder: String, ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path())
            .filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
    }

    private static func blocks(of language: String, in file: String, _ text: String) -> [Block] {
        var blocks: [Block] = []
        var open: (language: String, line: Int, lines: [String])?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            guard line.hasPrefix("```") else {
                open?.lines.append(line)
                continue
            }
            if let block = open {
                if block.language == language {
                    blocks.append(Block(file: file, line: block.line, lines: block.lines))
                }
                open = nil
            } else {
                open = (String(line.dropFirst(3)), index + 2, [])
            }
        }
        return blocks
    }
}
