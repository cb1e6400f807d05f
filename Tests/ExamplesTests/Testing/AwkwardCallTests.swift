import Drawbridge
import Foundation
import TestSupport
import Testing

/// Calls that leave the journal for a shell and for tests: what pages said stays text there.
@Suite("Awkward calls, copied", .timeLimit(.minutes(5))) struct AwkwardCallTests {
    private static let replies = #"""
        {"replies": {
            "*": {"$reply": {"got": "{{input}}"}},
            "bare": {"$reply": "{{input}}"},
            "fails": {"$error": {"code": 7, "message": "{{input.text}}", "data": "{{input}}"}}
        }}
        """#

    /// What the journal says of a call, without what is another for each.
    private struct Seen: Equatable {
        let record: JSON
        /// The line for a shell, which has every byte that was sent.
        let line: String
    }

    @Test func copiesAskTheSameAndMakeNothing() async throws {
        let pytest = try Tester.pytest()
        let settings = try Folder()
        let file = try settings.write("replies.json", Self.replies)
        let tester = try await Tester("--root", settings.path, "--replies", file)
        let (empty, python, node, shell) = (try Folder(), try Folder(), try Folder(), try Folder())
        for (package, name) in [("", "drawbridge-gateway"), ("/test/playwright", "@playwright/test")] {
            try node.copy(Tester.clients + "/node" + package, to: "node_modules/\(name)")
        }

        // Several at a time, each in a session of its own.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, call) in AwkwardCall.all.enumerated() {
                if place >= 4 { try await group.next() }
                group.addTask {
                    let number = try await Self.repeats(call, in: "call-\(place)", tester, empty)
                    for (language, folder, name) in [
                        ("pytest", python, "test_\(place).py"), ("playwright", node, "\(place).mjs"),
                        ("curl", shell, "\(place).sh"),
                    ] {
                        let test = try await tester.ask("calls/\(number)/test?for=\(language)&secrets=1")
                        #expect(test.status == 200, "\(call.title): \(test.text)")
                        try folder.write(name, test.text)
                    }
                    let (output, code) = try await tester.run(["sh", "\(shell.path)/\(place).sh"], in: empty)
                    #expect(code == 0, "\(call.title): \(output)")
                }
            }
            try await group.waitForAll()
        }
        #expect(empty.names == [])

        let count = AwkwardCall.all.count
        let plugin = ["-p", "drawbridge_gateway.pytest_plugin"]
        let (tested, code) = try await tester.run(
            pytest + plugin, in: python, environment: ["PYTHONPATH": "\(Tester.clients)/python"])
        #expect(code == 0 && tested.contains("\(count) passed"), "\(tested)")
        #expect(python.names == (0..<count).map { "test_\($0).py" }.sorted())

        // One file for all, since Node starts a process for each that it is given.
        let modules = (0..<count).map { "\($0).mjs" }
        try node.write("all.test.mjs", modules.map { "import './\($0)';\n" }.joined())
        let (all, nodes) = try await tester.run(Tester.node + ["all.test.mjs"], in: node)
        #expect(nodes == 0 && all.contains("\n# pass \(count)\n"), "\(all)")
        let written = node.names.filter { !$0.hasPrefix("node_modules") }
        #expect(written == (["all.test.mjs"] + modules).sorted())
    }

    /// Makes a call, and again by its line in each shell.
    ///
    /// - Returns: the number of the call.
    private static func repeats(
        _ call: AwkwardCall, in session: String, _ tester: Tester, _ folder: Folder
    ) async throws -> String {
        var fields = [(name: "X-Drawbridge-Session", value: session)]
        if let type = call.type { fields.append(("Content-Type", type)) }
        let answer = try await tester.send(call.method, call.target, fields, call.body)
        let numbers = try await numbers(in: session, tester)
        let first = try #require(numbers.first, "\(call.title): \(answer.text)")
        #expect(numbers.count == 1, "\(call.title)")
        let original = try await seen(first, tester)
        for shell in ["dash", "bash"] {
            let (output, code) = try await tester.run([shell, "-c", original.line], in: folder)
            #expect(code == 0, "\(call.title), \(shell): \(output)")
            // curl shows the head in place of a body that is not there.
            let isSame = call.method == "HEAD" ? output.hasPrefix("HTTP/1.1 ") : output == answer.text
            #expect(isSame, "\(call.title), \(shell): \(output), and not \(answer.text), by \(original.line)")
            let last = try await Self.numbers(in: session, tester).last
            let again = try await seen(try #require(last), tester)
            #expect(again == original, "\(call.title), \(shell)")
        }
        let all = try await Self.numbers(in: session, tester)
        #expect(all.count == 3, "\(call.title)")
        return first
    }

    /// The numbers of the calls of a session.
    private static func numbers(in session: String, _ tester: Tester) async throws -> [String] {
        let text = try await tester.ask("calls?session=\(session)").text
        return text.matches(of: /\{"number":(\d+),"kind":"call","session"/).map { String($0.1) }
    }

    private static func seen(_ number: String, _ tester: Tester) async throws -> Seen {
        let answer = try JSON(parsing: try await tester.ask("calls/\(number)?secrets=1").body)
        var record = try #require(answer["data"]?.objectValue, "\(answer)")
        for name in ["number", "id", "at", "milliseconds", "bridge"] { record[name] = nil }
        let line = try await tester.ask("calls/\(number)/curl?secrets=1").text
        return Seen(record: .object(record), line: line)
    }
}
