import Foundation
import ProgramSupport
import Testing

/// The glossary of CONTRIBUTING.md cannot rot: its types are in the sources.
@Suite struct GlossaryTests {
    @Test func everyTypeOfTheGlossaryIsInTheSources() throws {
        let types = try Self.rows().flatMap(\.types)
        #expect(types.count >= 12, "the glossary was not found")
        let sources = try Self.sources()
        for type in types where !Self.isDeclared(type, in: sources) {
            Issue.record(
                "CONTRIBUTING.md: no file of Sources declares \(type); write what stands for the word now")
        }
    }

    @Test func everyWordOfTheGlossaryHasAType() throws {
        let rows = try Self.rows()
        for row in rows where row.types.isEmpty {
            Issue.record("CONTRIBUTING.md: \(row.word) has no type in the third column")
        }
        #expect(Set(rows.map(\.word)).count == rows.count, "a word stands there twice")
    }

    @Test(arguments: [
        ("Shop", true), ("Shop.Shelf", true), ("Till", true), ("Shelf.Shop", false), ("Till.Shelf", false),
        ("Sho", false), ("Counter", false),
    ])
    func anUndeclaredTypeInTheGlossaryIsReported(_ type: String, isDeclared: Bool) {
        let sources = [
            "public final class Shop {\n    /// Has struct Counter.\n}",
            "extension Shop {\n    enum Shelf: String {}\n}", "protocol Till: AnyObject {}",
        ]
        #expect(Self.isDeclared(type, in: sources) == isDeclared)
    }

    /// The rows of the table below the heading.
    private static func rows() throws -> [(word: String, types: [String])] {
        let text = try String(
            contentsOf: Manual.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("Glossary\n") } ?? ""
        return section.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells[0], cells.last.map(names) ?? [])
        }
    }

    /// The texts between backticks.
    private static func names(_ cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    private static func sources() throws -> [String] {
        try Manual.files(in: "Sources", ending: ".swift").map {
            try String(contentsOf: Manual.root.appending(path: $0), encoding: .utf8)
        }
    }

    /// Whether a file declares a type; one within another, `Loop.Guest`, in a file of the other's.
    private static func isDeclared(_ type: String, in sources: [String]) -> Bool {
        let kinds = "class|struct|enum|protocol|actor|typealias"
        func holds(_ text: String, _ indentation: String, _ kinds: String, _ name: String) -> Bool {
            let pattern = "(?m)^\(indentation)([@a-zA-Z()]+ )*(\(kinds)) \(name)\\b"
            return text.range(of: pattern, options: .regularExpression) != nil
        }
        let parts = type.components(separatedBy: ".")
        guard parts.count == 2 else { return sources.contains { holds($0, "", kinds, type) } }
        return sources.contains {
            holds($0, "", "\(kinds)|extension", parts[0]) && holds($0, " +", kinds, parts[1])
        }
    }
}
