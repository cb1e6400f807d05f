import Glibc
import TestSupport
import Testing

/// The command at a real terminal, and a person who types.
@Suite(.timeLimit(.minutes(5))) struct TerminalTests {
    private static let ok = #"{"code":200,"data":{"result":"ok"},"message":""}"#
    private static let cancel = #"{"code":200,"data":{"result":"cancel"},"message":""}"#
    /// The line of a first question.
    private static let question = "? 1  alert  Sure  [ok/cancel]"

    private func alert(_ address: String, _ message: String = "Sure") throws -> Program {
        try Program(
            "curl", ["-sS", "--max-time", "60", "\(address)/alert?_mobile_bridge=1&message=\(message)"])
    }

    @Test func twoCallersGetTheirOwnAnswersOutOfOrder() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let first = try alert(address, "One")
        try await drawbridge.line(with: "? 1  alert  One  [ok/cancel]")
        let second = try alert(address, "Two")
        try await drawbridge.line(with: "? 2  alert  Two  [ok/cancel]")
        drawbridge.child.type("ok\r")
        try await drawbridge.line(with: "which one? 1, 2 wait: type 1 ok")
        drawbridge.child.type("2 cancel\r")
        #expect(await second.wholeOutput() == Self.cancel)
        try await drawbridge.line(with: "2 alert: cancel")
        drawbridge.child.type("ok\r")
        #expect(await first.wholeOutput() == Self.ok)
        try await drawbridge.line(with: "1 alert: ok")
        #expect(drawbridge.screen.unknown.isEmpty)
        #expect(await drawbridge.stop() == 0)
    }

    @Test func aQuestionIsWithdrawnWhenItsCallerLeaves() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let before = drawbridge.child.mode
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        // The terminal edits its lines itself.
        #expect(drawbridge.child.mode == before)
        kill(caller.child.processIdentifier, SIGKILL)
        try await drawbridge.line(with: "1 withdrawn: its caller has gone")
    }

    /// What is seen of it is torn; what is read is not.
    @Test func logLinesDoNotChangeTheAnswerThatIsBeingTyped() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        drawbridge.child.type("canc")
        let targets = (1...20).map { "\(address)/\($0)" }
        _ = try await Program("curl", ["-sS", "--max-time", "60"] + targets).wholeOutput()
        try await drawbridge.screen { $0.has("GET /20 ") }
        drawbridge.child.type("x\u{7F}el\r")
        #expect(await caller.wholeOutput() == Self.cancel)
    }

    @Test func textTypedBeforeAQuestionDoesNotAnswerIt() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        drawbridge.child.type("ok\r")
        try await drawbridge.line(
            with: "no question waits, and \"ok\" is not a command here; type ? for all of them")
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        drawbridge.child.type("cancel\r")
        #expect(await caller.wholeOutput() == Self.cancel)
    }

    /// The caller whose question waits gets what it would get on SIGTERM: nobody has cancelled the question.
    @Test(arguments: [SIGINT, SIGTERM]) func interruptingTheCommandAtTheTerminalEndsItCleanly(_ signal: Int32)
        async throws
    {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--grace", "0.2"])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        drawbridge.child.type(signal == SIGINT ? "o\u{3}" : "o")
        if signal == SIGTERM { drawbridge.child.send(SIGTERM) }
        #expect(await caller.wholeOutput().contains("the server is stopping"))
        #expect(await drawbridge.child.exitCode() == 0)
        try await drawbridge.screen { $0.has("1 withdrawn: ") }
    }

    @Test func textsOfPagesCannotControlTheTerminal() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address, "a%1B%5B2Jb%0D%0Ac%C2%9B31md%E2%80%AEe")
        try await drawbridge.line(with: "? 1  alert  a?[2Jb c?31md?e  [ok/cancel]")
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        _ = try await curl("\(address)/%1B%5B2Jname?_mobile_bridge=1&a=%1B%5B2J%E2%80%AE")
        try await drawbridge.line(with: "not mocked")
        #expect(drawbridge.screen.unknown.isEmpty)
    }

    @Test(arguments: [
        (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
    ])
    func theTerminalHasColorsUnlessToldOtherwise(environment: [String: String], isColored: Bool) async throws
    {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"], environment: environment)
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        #expect(drawbridge.screen.colors.contains("1;36") == isColored)
        #expect(drawbridge.screen.colors.isEmpty == !isColored)
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
    }

    @Test func questionsWorkAgainAfterTheProcessWasSuspended() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        drawbridge.child.send(SIGSTOP)
        drawbridge.child.send(SIGCONT)
        drawbridge.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
    }

    @Test func aBackgroundProcessDoesNotTouchTheTerminal() async throws {
        let product = try Program.path(of: "drawbridge")
        let shell = try TerminalProgram(
            "bash",
            [
                "-c",
                "set -m; \"$0\" -p 0; stty sane; bg; echo now in the background; read -r word; echo shell has $word; fg",
                product,
            ])
        let address = try await shell.address()
        let caller = try alert(address)
        try await shell.line(with: Self.question)
        // Ctrl-Z.
        shell.child.type("\u{1A}")
        try await shell.line(with: "now in the background")
        _ = try await curl("\(address)/echo?_mobile_bridge=1&a=1")
        try await shell.line(with: "  echo {")
        shell.child.type("ok\r")
        try await shell.line(with: "shell has ok")
        shell.child.type("ok\r")
        #expect(await caller.wholeOutput() == Self.ok)
        #expect(shell.screen.unknown.isEmpty)
        shell.child.type("\u{3}")
        _ = await shell.child.exitCode()
    }

    @Test func aBackgroundProcessAsksNobody() async throws {
        let product = try Program.path(of: "drawbridge")
        let shell = try TerminalProgram(
            "bash", ["-c", "set -m; \"$0\" -p 0 & read -r; kill %1; wait", product])
        let address = try await shell.address()
        #expect(await alertOutput(address) == Self.cancel)
        try await shell.line(with: "alert: nobody could be asked: there is no terminal")
        shell.child.type("ok\r")
        _ = await shell.child.exitCode()
    }

    @Test func closingTheTerminalLetsRunningCallsFinish() async throws {
        let server = try TerminalProgram.product("test-server", ["-p", "0"])
        let address = try await server.address()
        let caller = try Program("curl", ["-sS", "--max-time", "60", "\(address)/soon?_mobile_bridge=1"])
        try await server.line(with: "soon has begun")
        server.child.hangUp()
        #expect(await caller.wholeOutput() == #"{"code":200,"data":"done","message":""}"#)
        #expect(await server.child.exitCode() == 0)
    }

    /// As with `nohup`.
    @Test func theGatewayKeepsServingAfterItsTerminalHungUp() async throws {
        let product = try Program.path(of: "drawbridge")
        let drawbridge = try TerminalProgram("sh", ["-c", "trap '' HUP; exec \"$0\" -p 0", product])
        let address = try await drawbridge.address()
        let caller = try alert(address)
        try await drawbridge.line(with: Self.question)
        drawbridge.child.hangUp()
        #expect(await caller.wholeOutput() == Self.cancel)
        #expect(await alertOutput(address) == Self.cancel)
        #expect(await drawbridge.stop() == 0)
    }

    @Test func aPausedTerminalDoesNotPreventTheExit() async throws {
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--grace", "0"])
        let address = try await drawbridge.address()
        drawbridge.child.type("\u{13}")
        _ = try await curl("\(address)/echo?_mobile_bridge=1")
        // What is kept ends by itself, with another code.
        #expect(await drawbridge.stop() == 0)
    }

    @Test func aPausedTerminalDoesNotPreventTheExitWithABlockedHandler() async throws {
        let server = try TerminalProgram.product("test-server", ["-p", "0", "--grace", "0"])
        let address = try await server.address()
        let caller = try Program("curl", ["-sS", "--max-time", "60", "\(address)/block?_mobile_bridge=1"])
        try await server.line(with: "block has begun")
        server.child.type("\u{13}")
        // What it says of that is not seen.
        #expect(await server.stop() == 1)
        _ = await caller.wholeOutput()
    }

    // MARK: Words

    @Test func typedCommandsSwitchScenariosPlayEventsAndReset() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "mine.json",
            #"""
            {"replies": {"getUser": "Ann"}, "scenarios": {"offline": {"getUser": "nobody"}},
             "events": {"back": [{"scenario": "offline", "on": false}], "push": [{"call": "onPush"}]}}
            """#)
        let drawbridge = try TerminalProgram.product(
            "drawbridge", ["-p", "0", "--built-ins", "--replies", file])
        let address = try await drawbridge.address()
        let user = { try await curl("\(address)/getUser?_mobile_bridge=1") }
        drawbridge.child.type("?\r")
        try await drawbridge.line(with: "the name of a scenario switches it on or off: offline")
        try await drawbridge.line(with: "the name of an event plays it: back, push")
        drawbridge.child.type("offline\r")
        try await drawbridge.line(with: "scenario offline is on")
        #expect(try await user().contains("nobody"))
        drawbridge.child.type("back\r")
        try await drawbridge.line(with: "scenario offline is off")
        #expect(try await user().contains("Ann"))
        drawbridge.child.type("scenario offline\r")
        try await drawbridge.screen { screen in
            screen.lines.count { $0.contains("scenario offline is on") } == 2
        }
        drawbridge.child.type("reset\r")
        try await drawbridge.line(with: "reset: ")
        #expect(try await user().contains("Ann"))
        drawbridge.child.type("push\r")
        try await drawbridge.line(with: "event push: no running page in session default")
        drawbridge.child.type("ofline\r")
        try await drawbridge.line(
            with: "\"ofline\" is not a command here; did you mean offline? type ? for all of them")
        // A word goes before what could be filled in anywhere, and a choice before a word.
        let login = try Program("curl", ["-sS", "--max-time", "60", "\(address)/login?_mobile_bridge=1"])
        try await drawbridge.line(with: "? 1  login")
        drawbridge.child.type("offline\r")
        try await drawbridge.screen { screen in
            screen.lines.count { $0.contains("scenario offline is on") } == 3
        }
        drawbridge.child.type("1 offline\r")
        #expect(await login.wholeOutput().contains(#""user":"offline""#))
    }

    private func alertOutput(_ address: String) async -> String? {
        await (try? alert(address))?.wholeOutput()
    }
}
