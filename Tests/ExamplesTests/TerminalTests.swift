import Glibc
import TestSupport
import Testing

/// The command at a real terminal, and a person who types.
@Suite(.timeLimit(.minutes(5))) struct TerminalTests {
    private static let ok = #"{"code":200,"data":{"result":"ok"},"message":""}"#
    private static let cancel = #"{"code":200,"data":{"result":"cancel"},"message":""}"#
    /// The prompt of a first question.
    private static let prompt = "answer 1 [ok/cancel]> "

    private func alert(_ address: String, _ message: String = "Sure") throws -> Program {
        try Program(
            "curl", ["-sS", "--max-time", "60", "\(address)/alert?_mobile_bridge=1&message=\(message)"])
    }

    @Test func twoCallersGetTheirOwnAnswersOutOfOrder() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let first = try alert(address, "One")
        try await drawbridge.line(with: "? 1  alert  One  [ok/cancel]")
        try await drawbridge.prompt(Self.prompt)
        let second = try alert(address, "Two")
        try await drawbridge.line(with: "? 2  alert  Two  [ok/cancel]")
        try await drawbridge.prompt("2 questions: type number and answer, or ? for a list> ")
        drawbridge.child.type("2 cancel\r")
        #expect(await second.wholeOutput() == Self.cancel)
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.type("ok\r")
        #expect(await first.wholeOutput() == Self.ok)
        try await drawbridge.line(with: "1 alert: ok")
        #expect(drawbridge.screen.unknown.isEmpty)
        #expect(await drawbridge.stop() == 0)
    }

    @Test func aCallerThatLeavesWithdrawsItsQuestion() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        #expect(drawbridge.child.mode & tcflag_t(ICANON | ECHO) == 0)
        #expect(drawbridge.child.mode & tcflag_t(ISIG) != 0)
        kill(caller.child.processIdentifier, SIGKILL)
        try await drawbridge.line(with: "1 withdrawn: its caller has gone")
        try await drawbridge.screen { $0.lastLine.isEmpty }
        // The terminal is ours only while a question waits.
        #expect(await eventually { drawbridge.child.mode == before })
    }

    @Test func linesOfTheLogDoNotTearWhatIsTyped() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        // Longer than the lines, which would show what is left of it.
        let typed = String(repeating: "oé", count: 15)
        drawbridge.child.type(typed + "\u{1B}[D")
        try await drawbridge.prompt(Self.prompt + typed)
        let targets = (1...20).map { "\(address)/\($0)" }
        _ = try await Program("curl", ["-sS", "--max-time", "60"] + targets).wholeOutput()
        let screen = try await drawbridge.screen {
            $0.has("GET /20 ") && $0.lastLine == Self.prompt + typed
        }
        let log = screen.lines.drop { !$0.contains("? 1  alert") }.dropLast()
        let pattern =
            #/\d\d:\d\d:\d\d (\? 1  alert  Sure  \[ok\/cancel\]|GET \/\d+  \w+  404  [\d.]+ ms  \d+ B  request=[\w-]+)/#
        #expect(log.count == 21)
        #expect(log.allSatisfy { $0.wholeMatch(of: pattern) != nil }, "\(log)")
        drawbridge.child.type("\u{7F}\u{15}o\u{7F}ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(drawbridge.screen.unknown.isEmpty)
    }

    @Test func whatWasTypedBeforeAQuestionIsNoAnswerToIt() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        drawbridge.child.type("ok\r")
        // The terminal itself shows what nobody reads.
        try await drawbridge.line(with: "ok")
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.type("cancel\r")
        #expect(await caller.wholeOutput() == Self.cancel)
    }

    /// The caller whose question waits gets what it would get on SIGTERM: nobody has cancelled the question.
    @Test func controlCEndsInGoodOrder() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--grace", "0.2"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.type("o\u{3}")
        #expect(await caller.wholeOutput().contains("the server is stopping"))
        #expect(await drawbridge.child.exitCode() == 0)
        try await drawbridge.screen { $0.lines.contains { $0.contains("stopped") } }
        #expect(drawbridge.child.mode == before)
    }

    @Test func everyEndLeavesTheTerminalAsItWas() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--grace", "0"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        #expect(await drawbridge.stop() == 0)
        #expect(drawbridge.child.mode == before)
        // No prompt is left behind.
        try await drawbridge.screen { $0.lastLine.isEmpty }
        kill(caller.child.processIdentifier, SIGKILL)
    }

    @Test func nothingOfThePageDrivesTheTerminal() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address, "a%1B%5B2Jb%0D%0Ac%C2%9B31md%E2%80%AEe")
        try await drawbridge.line(with: "? 1  alert  a?[2Jb c?31md?e  [ok/cancel]")
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(drawbridge.screen.unknown.isEmpty)
    }

    @Test(arguments: [("", true), ("1", false)])
    func coloursUnlessToldOtherwise(noColor: String, isColored: Bool) async throws {
        let drawbridge = try TerminalProgram.product(
            "drawbridge", ["-p", "0"], environment: ["NO_COLOR": noColor])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        #expect(drawbridge.screen.colors.contains("1;36") == isColored)
        #expect(drawbridge.screen.colors.isEmpty == !isColored)
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
    }

    @Test func aDumbTerminalEditsItsOwnLines() async throws {
        let drawbridge = try TerminalProgram.product(
            "drawbridge", ["-p", "0"], environment: ["TERM": "dumb"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.line(with: "? 1  alert  Sure  [ok/cancel]")
        // The prompt is a line like others.
        try await drawbridge.line(with: Self.prompt)
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(drawbridge.child.mode == before)
        #expect(drawbridge.screen.colors.isEmpty && drawbridge.screen.unknown.isEmpty)
    }

    @Test func takesTheTerminalAgainAfterItWasStopped() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let shells = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        let ours = drawbridge.child.mode
        drawbridge.child.send(SIGSTOP)
        drawbridge.child.mode = shells
        drawbridge.child.send(SIGCONT)
        #expect(await eventually { drawbridge.child.mode == ours })
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(await eventually { drawbridge.child.mode == shells })
    }

    @Test func theBackgroundKeepsItsHandsOffTheTerminal() async throws {
        let product = try Program.path(of: "drawbridge")
        let shell = try TerminalProgram(
            "bash",
            ["-c", "set -m; \"$0\" -p 0; stty sane; bg; echo now in the background; read -r; fg", product])
        let address = try await shell.address()
        let shells = shell.child.mode
        let caller = try alert(address)
        try await shell.prompt(Self.prompt)
        // Ctrl-Z.
        shell.child.type("\u{1A}")
        try await shell.line(with: "now in the background")
        _ = try await curl("\(address)/echo?_mobile_bridge=1&a=1")
        try await shell.line(with: "  echo {")
        #expect(shell.child.mode == shells)
        shell.child.type("ok\r")
        try await shell.prompt(Self.prompt)
        shell.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(shell.screen.unknown.isEmpty)
        shell.child.type("\u{3}")
        _ = await shell.child.exitCode()
    }

    @Test func nobodyIsAskedInTheBackground() async throws {
        let product = try Program.path(of: "drawbridge")
        let shell = try TerminalProgram(
            "bash", ["-c", "set -m; \"$0\" -p 0 & read -r; kill %1; wait", product])
        let address = try await shell.address()
        #expect(await alertOutput(address) == Self.cancel)
        try await shell.line(with: "there is nobody to ask")
        shell.child.type("ok\r")
        _ = await shell.child.exitCode()
    }

    @Test func goesOnWithoutATerminalThatWasHungUp() async throws {
        let product = try Program.path(of: "drawbridge")
        let drawbridge = try TerminalProgram("sh", ["-c", "trap '' HUP; exec \"$0\" -p 0", product])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.hangUp()
        #expect(await caller.wholeOutput() == Self.cancel)
        #expect(await alertOutput(address) == Self.cancel)
        #expect(await drawbridge.stop() == 0)
    }

    /// Alt-P and others begin a sequence that nothing ends, as does an escape alone.
    @Test func enterIsNeverSwallowed() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        for (count, key) in ["]", "P", "X", "^", "_", "[", ""].enumerated() {
            drawbridge.child.type("\u{1B}\(key)\r")
            try await drawbridge.screen { screen in
                screen.lines.count { $0.contains("1 still waits: type ok or cancel") } == count + 1
            }
        }
        drawbridge.child.type("\u{1B}]x\u{15}ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
    }

    @Test(arguments: [SIGHUP, SIGQUIT]) func aSignalThatEndsItLeavesTheTerminalAsItWas(number: Int32)
        async throws
    {
        let drawbridge = try TerminalProgram.product(
            "drawbridge", ["-p", "0"], environment: ["SWIFT_BACKTRACE": "enable=no"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.prompt(Self.prompt)
        drawbridge.child.send(number)
        // Ended by the signal, as without a question.
        #expect(await drawbridge.child.exitCode() == number)
        #expect(drawbridge.child.mode == before)
        try await drawbridge.screen { $0.lastLine.isEmpty }
        _ = await caller.wholeOutput()
    }

    @Test func keysAreForTheQuestionOnTheScreen() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let first = try alert(address, "One")
        try await drawbridge.prompt(Self.prompt)
        let second = try alert(address, "Two")
        try await drawbridge.prompt("2 questions: type number and answer, or ? for a list> ")
        // Ctrl-S: that the second is the only one from now on is not seen.
        drawbridge.child.type("\u{13}")
        _ = try await curl("\(address)/echo?_mobile_bridge=1")
        let process = String(drawbridge.child.processIdentifier)
        let before = openDescriptors(of: process).count
        kill(first.child.processIdentifier, SIGKILL)
        #expect(await eventually { openDescriptors(of: process).count < before })
        drawbridge.child.type("ok\r2 cancel\r")
        let answer = await second.wholeOutput()
        try #require(answer == Self.cancel)
        // Ctrl-Q.
        drawbridge.child.type("\u{11}")
        try await drawbridge.line(with: "2 alert: cancel")
    }

    @Test func aStoppedTerminalDoesNotKeepTheProcess() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--grace", "0"])
        let address = try await drawbridge.address()
        drawbridge.child.type("\u{13}")
        _ = try await curl("\(address)/echo?_mobile_bridge=1")
        // What is kept ends by itself, with another code.
        #expect(await drawbridge.stop() == 0)
    }

    @Test func norDoesItKeepAProcessWhoseHandlerHoldsItsThread() async throws {
        let server = try TerminalProgram.product("test-server", ["-p", "0", "--grace", "0"])
        let address = try await server.address()
        let caller = try Program("curl", ["-sS", "--max-time", "60", "\(address)/block?_mobile_bridge=1"])
        try await server.line(with: "block has begun")
        server.child.type("\u{13}")
        // What it says of that is not seen.
        #expect(await server.stop() == 1)
        _ = await caller.wholeOutput()
    }

    private func alertOutput(_ address: String) async -> String? {
        await (try? alert(address))?.wholeOutput()
    }
}
