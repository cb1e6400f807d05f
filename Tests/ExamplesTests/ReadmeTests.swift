import Drawbridge
import Foundation
import ProgramSupport
import Testing

/// What a newcomer reads first is true, and leads somewhere.
@Suite struct ReadmeTests {
    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Manual.root.appending(path: file), encoding: .utf8)
    }

    /// The words between backticks.
    private static func code(in text: String) -> [Substring] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    @Test func theReadmesFirstFortyLinesSayWhatItIsAndHowItWorks() throws {
        let beginning = try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
            .prefix(40).joined(separator: "\n")
        for word in [
            "# {\"code\":200", "_mobile_bridge=1", "XMLHttpRequest", "\"replies\"", "swift run hello",
            "JSONHandler", "register(", "──▶",
        ] {
            #expect(beginning.contains(word), "\(word)")
        }
    }

    /// Mocks that are in a line of text, `"pay": {"$silence": true}`, and in files.
    @Test func everyMockInTheReadmeIsValid() async throws {
        let text = try Self.text("README.md")
        let file = try #require(text.firstMatch(of: /echo '(\{"replies": .*)' > my-page\/drawbridge.json/)).1
        let replies = try #require(try JSON(parsing: Array(file.utf8))["replies"])
        try Gateway().mock(replies)
        let mocks = Self.code(in: text).filter { $0.hasPrefix("\"pay\": ") }
        #expect(mocks.count > 5)
        for mock in mocks {
            #expect(throws: Never.self, "\(mock)") {
                try Gateway().mock(JSON(parsing: Array("{\(mock)}".utf8)))
            }
        }
    }

    /// Flags, and the scripts of a clone.
    @Test(arguments: ["README.md", "SWIFT.md"]) func everyFlagAndScriptInTheReadmeExists(_ file: String)
        throws
    {
        let help = try Self.text("Tests/DrawbridgeCommandTests/Program/help.txt")
        for code in Self.code(in: try Self.text(file)) {
            // Mocks, and flags of other programs.
            guard ["\"", "node ", "docker "].allSatisfy({ !code.hasPrefix($0) }) else { continue }
            let words = code.split { $0 == " " || $0 == "\n" }
            for word in words where word.hasPrefix("--") {
                let flag = word.prefix { $0 != "=" }
                #expect(
                    help.contains("\(flag) ") || help.contains("\(flag)/") || help.contains("\(flag)\n"),
                    "\(flag)")
            }
            guard let program = words.first, program.hasPrefix("scripts/") || program.hasPrefix("benchmarks/")
            else {
                continue
            }
            #expect(access(Manual.root.appending(path: program).path(), X_OK) == 0, "\(program)")
        }
    }

    /// Whoever mounts a folder reads and saves there as its owner.
    @Test(arguments: ["README.md", "Sources/Drawbridge/Drawbridge.docc/GettingIt.md"])
    func theImageRunsAsTheOwnerOfTheFolder(_ file: String) throws {
        let lines = try Self.text(file).split(separator: "\n").filter {
            $0.contains("docker run") && $0.contains(":/page")
        }
        #expect(lines.count == 1)
        for line in lines { #expect(line.contains(#" --user "$(id -u):$(id -g)" "#), "\(line)") }
    }

    /// A link of a text of the repository: to a file, and perhaps to a heading in it.
    @Test func noLinkIsDead() throws {
        let articles = try ["Sources", "handlers"].flatMap { try Manual.files(in: $0, ending: ".md") }
        let own = [
            "README.md", "SWIFT.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md",
        ]
        var count = 0
        for file in own + articles {
            let folder = Manual.root.appending(path: file).deletingLastPathComponent()
            let text = try Self.text(file).replacing(/(?s)```.*?```|`[^`\n]*`/, with: "")
            for match in text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.contains("://") {
                count += 1
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target =
                    parts[0].isEmpty
                    ? Manual.root.appending(path: file) : folder.appending(path: parts[0]).standardized
                // Next to a repository its host has the releases, once a workflow makes them.
                if target.path() == Manual.root.appending(path: "../../releases").standardized.path() {
                    let workflow = try Self.text(".github/workflows/release.yml")
                    #expect(workflow.contains("scripts/publish release"), "\(file): \(match.1)")
                    continue
                }
                #expect(FileManager.default.fileExists(atPath: target.path()), "\(file): \(match.1)")
                guard parts.count > 1, let text = try? String(contentsOf: target, encoding: .utf8) else {
                    continue
                }
                let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map(Self.anchor)
                #expect(headings.contains(String(parts[1])), "\(file): \(match.1); there are \(headings)")
            }
        }
        #expect(count > 100)
    }

    /// What a repository's view makes of a heading.
    private static func anchor(of heading: Substring) -> String {
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.replacing(
                " ", with: "-")
    }
}
