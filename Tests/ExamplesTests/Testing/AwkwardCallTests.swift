import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// Calls that leave the journal for a shell, and the inspector for a test: what pages said stays text there.
@Suite("Copies of awkward calls", .timeLimit(.minutes(5))) struct AwkwardCallTests {
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

    /// Runs what the inspector copies as a test for each call, which is in a session of its own.
    private static let verifies = """
        import { test } from 'node:test';
        import assert from 'node:assert/strict';
        import { connect } from 'drawbridge-gateway';
        import { members, verifying } from './Page/write.js';

        const gateway = connect();
        for (const { session, number, refusal, isUnreadable } of CALLS) {
            test(session, async () => {
                const native = Object.assign(gateway.session(), {
                    session, headers: { 'X-Drawbridge-Session': session },
                });
                const answer = await fetch(`${gateway.address}/__drawbridge__/calls/${number}?secrets=1`, {
                    headers: { Authorization: `Bearer ${process.env.DRAWBRIDGE_TOKEN}` },
                });
                const record = members(members(await answer.text()).get('data'));
                if (refusal) return assert.throws(() => verifying(record, true), { message: new RegExp(refusal) });
                const line = verifying(record, !isUnreadable);
                assert.match(line, /^[ -~]+\\n$/);
                const run = Object.getPrototypeOf(async () => {}).constructor;
                await new run('native', line)(native);
                const other = gateway.session();
                const soon = (name, when, more) => other.verify(name, when, { ...more, seconds: 0 });
                await assert.rejects(new run('native', line)({ verify: soon }), /nothing was called/);
            });
        }

        """

    /// What the inspector says where it copies no line.
    private static let refusals = ["big numbers": "JavaScript has no number 12345678901234567890123"]

    /// Of what the gateway cannot read as an input, the line has the name alone.
    private static let unreadable: Set = [
        "all bytes", "all bytes, as JSON", "parts", "no JSON",
    ]

    @Test func copiedCallsRepeatTheCallAndRunNoOtherCommand() async throws {
        let settings = try Folder()
        let file = try settings.write("replies.json", Self.replies)
        let tester = try await Tester("--root", settings.path, "--replies", file)
        let (empty, node) = (try Folder(), try Folder())
        try node.copy(Tester.clients + "/node", to: "node_modules/drawbridge-gateway")
        try node.copy(
            Manual.root.appending(path: "Sources/DrawbridgeServer/Inspector/Page").path(), to: "Page")
        try node.write("package.json", #"{"type": "module"}"#)

        // Several at a time, each in a session of its own.
        let calls = try await withThrowingTaskGroup(of: JSON.self) { group in
            var calls: [JSON] = []
            for (place, call) in AwkwardCall.all.enumerated() {
                if place >= 4, let made = try await group.next() { calls.append(made) }
                group.addTask {
                    let number = try await Self.repeats(call, in: "call-\(place)", tester, empty)
                    return [
                        "session": .string("call-\(place)"), "number": .string(number),
                        "refusal": Self.refusals[call.title].map(JSON.string) ?? .null,
                        "isUnreadable": .bool(Self.unreadable.contains(call.title)),
                    ]
                }
            }
            for try await made in group { calls.append(made) }
            return calls
        }
        #expect(empty.names == [])

        let count = AwkwardCall.all.count
        #expect(calls.count == count)
        try node.write("all.test.mjs", Self.verifies.replacing("CALLS", with: "\(JSON.array(calls))"))
        let before = node.names
        let (all, nodes) = try await tester.run(Tester.node + ["all.test.mjs"], in: node)
        #expect(nodes == 0 && all.contains("\n# pass \(count)\n"), "\(all)")
        #expect(node.names == before)
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
