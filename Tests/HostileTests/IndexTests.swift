import Foundation
import Testing

/// The list of cases, which is the README of this folder.
struct IndexTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// Each case with its number.
    private static func cases() throws -> [(number: Int?, text: String)] {
        try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
            .split(separator: "\n- **").dropFirst()
            .map { (Int($0.prefix { $0.isNumber }), String($0)) }
    }

    @Test func everyHostileCaseIsInTheReadme() throws {
        let cases = Array(1...35) + [37]
        #expect(try Self.cases().map(\.number) == cases)
    }

    @Test func everyTestNamedInTheReadmeExists() throws {
        let tests = Self.folder.deletingLastPathComponent()
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var sources: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            sources[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        for (_, text) in try Self.cases() {
            let tests = text.matches(of: /`(\w+Tests)\.(\w+)`/)
            #expect(!tests.isEmpty || text.contains("the same") || text.contains("the first"), "\(text)")
            for test in tests {
                let source = sources[String(test.1), default: ""]
                #expect(source.contains("func \(test.2)("), "\(test.0)")
            }
        }
    }
}
