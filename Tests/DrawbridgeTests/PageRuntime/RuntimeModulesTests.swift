import Foundation
import Testing

@testable import Drawbridge
@testable import DrawbridgePageRuntime

/// The page runtime is one function of several files: each says what it takes from which of the others.
@Suite(.timeLimit(.minutes(5))) struct RuntimeModulesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/DrawbridgePageRuntime/Script").standardized

    /// The files of the folder, by their texts.
    private static func files() throws -> [[UInt8]: String] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try Dictionary(
            uniqueKeysWithValues: files.map {
                ([UInt8](try Data(contentsOf: $0)), $0.deletingPathExtension().lastPathComponent)
            })
    }

    @Test func everyFileOfTheFolderHasOnePlaceInTheScript() throws {
        let names = try Self.files()
        let order = RuntimeScript.modules.map { names[$0] ?? "what is in no file" }
        #expect(order.sorted() == names.values.sorted(), "RuntimeScript.modules has the order")
    }

    @Test func everyFileOfTheScriptDeclaresWhatItGivesAndUses() async throws {
        let names = try Self.files()
        let files = try RuntimeScript.modules.map {
            (name: try #require(names[$0]), text: String(decoding: $0, as: UTF8.self))
        }
        for complaint in try await RuntimeModules(files).complaints { Issue.record("\(complaint)") }
    }

    @Test func theDeclaringLinesDoNotReachThePage() {
        let script = String(decoding: RuntimeScript.text(Array("{}".utf8)), as: UTF8.self)
        #expect(script.contains("function callGlobal("))
        #expect(!script.contains("// gives: ") && !script.contains("// uses "))
    }

    /// Two files, and what is wrong with them.
    @Test(arguments: [
        ("// gives: one\nconst one = 1;", "// uses a: one\nconst own = { one };", nil),
        ("// gives: one\nconst one = 1;", "(() => one)();", "b.js uses one of a.js and does not say so"),
        (
            "// gives: one\nconst one = 1;",
            "// uses a: one\nfunction two(one, { three: four }) { return { one: one.one, four }; }",
            "b.js says that it uses one of a.js, and does not"
        ),
        (
            "const one = 1;", "// uses a: two\ntwo();",
            "b.js says that it uses two of a.js, which does not define it"
        ),
        ("const one = 1;", "// uses a: one\none;", "a.js has one, which others use, and does not say so"),
        ("// gives: one\nconst one = 1;", "", "a.js says that it gives one, which no other file uses"),
        ("// uses b: two\nconst one = () => two;", "// gives: two\nconst two = 2;", nil),
        (
            "// uses b: two\nconst one = two;", "// gives: two\nconst two = 2;",
            "a.js needs two while it is evaluated"
        ),
        (
            "// uses b: two\nconst one = (() => two)();", "// gives: two\nconst two = 2;",
            "a.js needs two while it is evaluated, and b.js comes later"
        ),
        (
            "// uses b: two\nfunction one() { return two; }\none();", "// gives: two\nconst two = 2;",
            "a.js needs two while it is evaluated"
        ),
        ("function one() {}", "const { two: one } = {};", "b.js defines one, as a.js does"),
    ])
    func aWrongDeclarationOfAFileIsNamed(a: String, b: String, complaint: String?) async throws {
        let complaints = try await RuntimeModules([("a", a), ("b", b)]).complaints
        if let complaint {
            #expect(complaints.contains { $0.hasPrefix(complaint) }, "\(complaints)")
        } else {
            #expect(complaints.isEmpty)
        }
    }
}
