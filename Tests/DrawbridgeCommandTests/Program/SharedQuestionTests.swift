import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The command at a real terminal, with an inspector open: both ask the same question, and the first answer wins.
@Suite("Questions at the terminal and in the inspector", .timeLimit(.minutes(5))) struct SharedQuestionTests {
    private static let reply =
        #"delete={"$ask":"Delete {{input.name}}?","$choices":{"delete":"deleted","keep":"kept"}}"#

    /// The line of a question.
    private static func question(_ number: Int, _ name: String) -> String {
        "? \(number)  delete  Delete \(name)?  [delete/keep]"
    }

    private static func envelope(_ data: String) -> String { #"{"code":200,"data":"\#(data)","message":""}"# }

    /// What somebody gets who decides too late in the inspector.
    private static func tooLate(_ number: Int) -> String {
        #""code":404,"message":"no question \#(number) waits in session default; none waits there"#
    }

    /// Terminal, inspector, and what the inspector is told.
    private struct Both {
        let terminal: TerminalProgram
        let address: String
        let inspector: InspectorVisit
        let heard: Program

        init() async throws {
            terminal = try TerminalProgram.product("drawbridge", ["-p", "0", "--reply", reply])
            inspector = try await InspectorVisit(try await terminal.line(with: "  inspector "))
            address = try await terminal.address()
            heard = try inspector.follow()
            try await questions("none") { $0.isEmpty }
        }

        func call(_ name: String) throws -> Program {
            try Program(
                "curl", ["-sS", "--max-time", "290", "\(address)/delete?_mobile_bridge=1&name=\(name)"])
        }

        /// Waits until the inspector has been told this of the questions that wait.
        @discardableResult
        func questions(_ what: String, _ isRight: ([JSON]) -> Bool) async throws -> [JSON] {
            var last: [JSON]?
            let isThere = try await eventually {
                let event = heard.output.components(separatedBy: "\n\n").dropLast()
                    .last { $0.hasPrefix("event: questions\ndata: ") }
                let data = event?.components(separatedBy: "\ndata: ").last
                last = try data.flatMap { try JSON(parsing: Array($0.utf8)).arrayValue }
                return last.map(isRight) ?? false
            }
            try #require(isThere, "\(what), and not \(last ?? []) in \(heard.output)")
            return last ?? []
        }

        /// Waits until the inspector shows one question, and gives its number there.
        func question(_ message: String) async throws -> Int {
            let all = try await questions(message) {
                $0.count == 1 && $0[0]["message"]?.stringValue == message
            }
            #expect(all[0]["choices"] == ["delete", "keep"])
            return try #require(all[0]["number"]?.numberValue?.intValue)
        }

        /// Who decided each call, and what for, as the inspector's list has it.
        func decisions() async throws -> [String] {
            let answer = try await curl(
                "-H", "Authorization: Bearer \(inspector.secret)",
                "\(inspector.origin)/__drawbridge__/calls?name=delete")
            let calls = try #require(JSON(parsing: Array(answer.utf8))["data"]?["calls"]?.arrayValue)
            return calls.map {
                let asked = $0["asked"]
                return
                    "\(asked?["choice"]?.stringValue ?? "nothing") by \(asked?["by"]?.stringValue ?? "nobody")"
            }
        }
    }

    @Test func aQuestionAnsweredInTheInspectorIsRemovedFromTheTerminal() async throws {
        let both = try await Both()
        let terminal = both.terminal
        let first = try both.call("Tide")
        try await terminal.line(with: Self.question(1, "Tide"))
        // The person has begun to type, and is not through.
        terminal.child.type("kee")
        try await terminal.prompt("kee")
        let number = try await both.question("Delete Tide?")
        #expect(number == 1)
        let said = try await both.inspector.post("questions/\(number)", #"{"choice":"delete"}"#)
        #expect(said == #"{"code":200,"message":""}"#)
        #expect(await first.wholeOutput() == Self.envelope("deleted"))

        try await terminal.line(with: "1 withdrawn: its caller has gone, or it was answered elsewhere")
        try await both.questions("none") { $0.isEmpty }
        // The rest of what was typed, and a whole line that comes late.
        terminal.child.type("p\r")
        try await terminal.screen { screen in screen.lines.count { $0.contains("no question waits") } == 1 }
        terminal.child.type("keep\r")
        try await terminal.screen { screen in screen.lines.count { $0.contains("no question waits") } == 2 }

        // Neither is left for the next question, and a line that names the first is for none.
        let second = try both.call("Fog")
        try await terminal.line(with: Self.question(2, "Fog"))
        terminal.child.type("1 keep\r")
        try await terminal.line(with: "1 is not waiting any more; waiting: 2")
        #expect(try await both.question("Delete Fog?") == 2)
        terminal.child.type("delete\r")
        #expect(await second.wholeOutput() == Self.envelope("deleted"))
        let decisions = try await both.decisions()
        #expect(decisions == ["delete by inspector", "delete by person"])
        #expect(await terminal.stop() == 0)
    }

    @Test func aQuestionAnsweredInTheTerminalIsRemovedFromTheInspector() async throws {
        let both = try await Both()
        let caller = try both.call("Tide")
        try await both.terminal.line(with: Self.question(1, "Tide"))
        let number = try await both.question("Delete Tide?")
        both.terminal.child.type("keep\r")
        #expect(await caller.wholeOutput() == Self.envelope("kept"))
        try await both.terminal.line(with: "1 delete: keep")
        try await both.questions("none") { $0.isEmpty }
        let said = try await both.inspector.post("questions/\(number)", #"{"choice":"delete"}"#)
        #expect(said.contains(Self.tooLate(number)), "\(said)")
        let decisions = try await both.decisions()
        #expect(decisions == ["keep by person"])
        #expect(!both.terminal.screen.has("withdrawn"))
        #expect(await both.terminal.stop() == 0)
    }

    /// The same with the inspector's page in a browser: a typed line takes its buttons away, and a button the question of
    /// the terminal.
    @Test func anAnswerInTheTerminalRemovesTheButtonsAndViceVersa() async throws {
        let terminal = try TerminalProgram.product("drawbridge", ["-p", "0", "--reply", Self.reply])
        let line = try await terminal.line(with: "  inspector ")
        let link = try #require(line.split(separator: " ").first { $0.hasPrefix("http://i-") })
        let address = try await terminal.address()
        let browser = try await Chromium(width: 1280, height: 800)
        func shows(_ expression: String) async throws {
            let isThere = try await eventually { try await browser.evaluate(expression) == true }
            try #require(isThere, "\(expression)")
        }
        func call(_ name: String) throws -> Program {
            try Program(
                "curl", ["-sS", "--max-time", "290", "\(address)/delete?_mobile_bridge=1&name=\(name)"])
        }
        try await browser.open(String(link))
        try await shows("document.getElementById('connection').textContent === 'live'")

        let first = try call("Tide")
        try await terminal.line(with: Self.question(1, "Tide"))
        try await shows("document.querySelector('.question button:not(:disabled)') !== null")
        terminal.child.type("keep\r")
        #expect(await first.wholeOutput() == Self.envelope("kept"))
        try await shows("document.getElementById('questions').hidden")

        let second = try call("Fog")
        try await terminal.line(with: Self.question(2, "Fog"))
        try await shows("document.querySelector('.called-with')?.textContent.includes('name: \"Fog\"')")
        try await shows("document.querySelector('.question button:not(:disabled)') !== null")
        try await browser.evaluate("document.querySelector('.question .actions button').click()")
        #expect(await second.wholeOutput() == Self.envelope("deleted"))
        try await terminal.line(with: "2 withdrawn: its caller has gone, or it was answered elsewhere")
        #expect(await terminal.stop() == 0)
    }

    /// Of two questions that wait, one goes: what is typed without a number is for the other from the
    /// next line on.
    @Test func whenOneOfTwoQuestionsIsAnsweredOnlyTheOtherIsAsked() async throws {
        let both = try await Both()
        let first = try both.call("Tide")
        try await both.terminal.line(with: Self.question(1, "Tide"))
        let number = try await both.question("Delete Tide?")
        let second = try both.call("Fog")
        try await both.terminal.line(with: Self.question(2, "Fog"))
        // Begun while both wait, so it is for neither.
        both.terminal.child.type("ke")
        try await both.terminal.prompt("ke")
        _ = try await both.inspector.post("questions/\(number)", #"{"choice":"delete"}"#)
        #expect(await first.wholeOutput() == Self.envelope("deleted"))
        try await both.terminal.line(with: "1 withdrawn")
        both.terminal.child.type("ep\r")
        try await both.terminal.line(with: "which one? 2 waits: type 2 delete")
        both.terminal.child.type("keep\r")
        #expect(await second.wholeOutput() == Self.envelope("kept"))
        let decisions = try await both.decisions()
        #expect(decisions == ["delete by inspector", "keep by person"])
        #expect(await both.terminal.stop() == 0)
    }
}
