import Drawbridge
import Foundation
import TestSupport
import Testing

/// The journal of the command: its flags, its log, and how it ends.
@Suite("Flags of the journal", .timeLimit(.minutes(5))) struct JournalFlagTests {
    private static let token = String(repeating: "t", count: 32)

    private static func drawbridge(_ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments, environment: ["DRAWBRIDGE_TOKEN": token])
    }

    private static func ask(_ address: String, _ path: String) async throws -> String {
        try await curl("-H", "Authorization: Bearer \(token)", "\(address)/__drawbridge__/\(path)")
    }

    @Test func theJournalKeepsAsManyRecordsAsItIsTold() async throws {
        let program = try Self.drawbridge("--journal", "2")
        let address = try await program.address()
        for number in 1...3 { _ = try await curl("\(address)/echo?_mobile_bridge=1&number=\(number)") }
        let calls = try JSON(parsing: Array(try await Self.ask(address, "calls").utf8))
        #expect(calls["data"]?["calls"]?.arrayValue?.compactMap { $0["number"] } == [2, 3])
        for number in ["0", "100001"] {
            let wrong = try Self.drawbridge("--journal", number)
            #expect(await wrong.child.exitCode() == 64)
            _ = try await wrong.line(with: "--journal \(number): use a number of records from 1 to 100000")
        }
    }

    @Test func theLogFlagSelectsTheKindsOfLines() async throws {
        let folder = try Folder()
        _ = try folder.write("a.html", "a")
        let program = try Self.drawbridge("--root", folder.path, "--log", "native,gateway")
        let address = try await program.address()
        for target in ["/a.html", "/missing.html", "/echo?_mobile_bridge=1", "/__drawbridge__/health"] {
            _ = try await curl("\(address)\(target)")
        }
        _ = try await program.line(with: "GET /__drawbridge__/health  gateway  200")
        #expect(!program.output.contains("a.html  files"))
        #expect(program.output.contains(#/\d  echo +handler EchoHandler/#))
        withExtendedLifetime(folder) {}

        let all = try Self.drawbridge("--root", folder.path, "--log", "files,native")
        _ = try await curl("\(try await all.address())/a.html")
        _ = try await all.line(with: "GET /a.html  files  200")
        _ = try await curl("\(try await all.address())/missing.html")
        _ = try await all.line(with: "GET /missing.html  gateway  404")
    }

    /// Where a page is served, its files would push its calls out of sight.
    @Test func onlyNativeCallsAreLoggedIfAFolderIsServed() async throws {
        let folder = try Folder()
        _ = try folder.write("a.html", "a")
        let program = try Self.drawbridge("--root", folder.path, "--reply", #"quiet={"$silence": true}"#)
        let address = try await program.address()
        for target in ["/a.html", "/__drawbridge__/health", "/echo?_mobile_bridge=1&token=CANARY"] {
            _ = try await curl("\(address)\(target)")
        }
        _ = try await program.line(with: "  echo {\"token\":\"[removed]\"}")
        #expect(!program.output.contains("a.html  ") && !program.output.contains("health  "))
        #expect(!program.output.contains("CANARY") && !program.output.contains("request="))
        #expect(!program.output.contains("passed"))
        withExtendedLifetime(folder) {}
    }

    @Test func verboseLinesHaveTheRequestsID() async throws {
        let program = try Self.drawbridge("-v")
        let address = try await program.address()
        let long = String(repeating: "x", count: 300)
        _ = try await curl("-H", "X-Request-Id: mine-1", "\(address)/echo?_mobile_bridge=1&text=\(long)")
        let line = try await program.line(with: "  echo ")
        #expect(line.contains("\(long)\"}  request=mine-1  bridge=flag"), "\(line)")
    }

    @Test(arguments: [
        (["--log", "natives"], "did you mean native?"), (["--log", ""], "for no lines use --quiet"),
        (["--unanswered", "warn"], "write tell or fail"),
    ])
    func aWrongValueOfALogFlagIsAnErrorThatNamesTheValidOnes(arguments: [String], sentence: String)
        async throws
    {
        let program = try Program.product("drawbridge", arguments)
        let output = await program.wholeOutput()
        #expect(output.contains(sentence), "\(output)")
        #expect(await program.child.exitCode() == 64)
    }

    /// Each call of a missing name is one line, which says how often it came.
    @Test func repeatedUnansweredCallsAreCounted() async throws {
        let program = try Self.drawbridge()
        let address = try await program.address()
        for _ in 0..<3 { _ = try await curl("\(address)/nobody?_mobile_bridge=1") }
        _ = try await curl("\(address)/ehco?_mobile_bridge=1")
        _ = try await program.line(with: "not mocked; did you mean echo? Else mock it: --reply 'ehco=…'")
        // What says no name is told what is wrong, as its caller is.
        _ = try await curl("-d", #"{"action":"#, "\(address)/__jsbridge__")
        _ = try await program.line(with: "the body is not JSON: line 1, column 11")
        let lines = program.output.split(separator: "\n").filter { $0.contains("nobody") }
        let ends = ["not mocked; mock", "not mocked, 2 times now; mock", "not mocked, 3 times now; mock"]
        #expect(lines.count == 3 && zip(lines, ends).allSatisfy { $0.contains($1) }, "\(lines)")
    }

    /// After a restart, a page that was open has the token of the run before.
    @Test func theLogSaysWhyAPagesChannelIsRefused() async throws {
        let program = try Self.drawbridge()
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: drawbridge, token.old",
        ].flatMap { ["-H", $0] }
        let path = "/__drawbridge__/channel"
        _ = try await Program("curl", ["-sS"] + handshake + [program.address() + path]).wholeOutput()
        let why = "the page was loaded in an earlier run; it connects again by itself, or reload it"
        _ = try await program.line(with: "GET \(path)  refused  403 (\(why))  ")
    }

    /// Of calls, pages, files and what is refused, at every level.
    @Test(arguments: ["text", "json"]) func noLineHasASecret(_ format: String) async throws {
        let program = try Self.drawbridge(
            "-v", "--log", "native,files,gateway", "--log-format", format, "--redact", "iban", "--reply",
            #"fail={"$error": {"code": 3, "message": "token=CANARY"}}"#)
        let address = try await program.address()
        for target in ["/a.html?pin=CANARY", "/a;jsessionid=CANARY", "/b?next=%2Fc%3Fiban%3DCANARY"] {
            _ = try await curl("\(address)\(target)")
        }
        for name in ["echo", "fail", "nobody"] {
            for body in [#"{"a": [{"token": "CANARY"}]}"#, "token=CANARY", "Bearer CANARY", #"{"otp": "CA"#] {
                _ = try await curl("-d", body, "\(address)/\(name)?_mobile_bridge=1&jwt=CANARY")
            }
        }
        let foreign = "Sec-Fetch-Site: cross-site"
        _ = try await curl("-H", foreign, "\(address)/echo?_mobile_bridge=1&cvv2=CANARY")
        program.child.terminate()
        _ = await program.child.exitCode()
        let output = await program.wholeOutput()
        #expect(!output.contains("CANARY") && output.contains("/a.html?pin=[removed]"), "\(output)")
    }

    @Test func redactRemovesTheNamedMembers() async throws {
        let program = try Self.drawbridge(
            "--redact", "iban,bic", "--redact", "Plate", "--log", "native,gateway", "--reply",
            #"pay={"$cases": [{"$when": {"iban": "DE2"}, "$reply": 1}, {"$reply": 2}]}"#)
        let address = try await program.address()
        _ = try await curl("\(address)/echo?_mobile_bridge=1&myIban=DE1&plate=B2&bic_code=C3&city=Bonn")
        _ = try await curl("\(address)/pay?_mobile_bridge=1&iban=DE1")
        let calls = try await Self.ask(address, "calls")
        #expect(!["DE1", "B2", "C3"].contains { calls.contains($0) } && calls.contains("Bonn"), "\(calls)")
        #expect(calls.contains("case 1: iban is not the wanted value"))
        // What somebody puts into the address of ours is refused, and not written down.
        let refused = try await curl("\(address)/__drawbridge__/calls?token=CANARY")
        #expect(refused.contains("an address must not contain a secret"))
        program.child.terminate()
        _ = await program.child.exitCode()
        let output = await program.wholeOutput()
        #expect(!output.contains("CANARY") && output.contains("/__drawbridge__/calls?[removed]"), "\(output)")
    }

    @Test func anUnansweredCallMakesTheExitCode3() async throws {
        for (arguments, call, code) in [
            (["--unanswered", "fail"], "echo", 0), (["--unanswered", "fail"], "nobody", 3),
            (["--unanswered", "tell"], "nobody", 0),
            (["--unanswered", "fail", "--reply", #"nobody={"$missing":true}"#], "nobody", 0),
            (["--unanswered", "fail", "--reply", #"ask={"$ask":"?","$choices":{"a":1,"b":2}}"#], "ask", 3),
        ] as [([String], String, Int32)] {
            let program = try Program.product("drawbridge", ["-p", "0"] + arguments)
            _ = try await curl("\(try await program.address())/\(call)?_mobile_bridge=1")
            program.child.terminate()
            #expect(await program.child.exitCode() == code, "\(arguments) \(call)")
            let output = await program.wholeOutput()
            #expect(output.contains("nobody answered \(call) (1)") == (code == 3), "\(output)")
        }
    }

    /// Whoever reads and whoever waits hold up no stop.
    @Test func aReaderOfTheCallStreamDoesNotDelayTheExit() async throws {
        let program = try Self.drawbridge("--grace", "250")
        let address = try await program.address()
        let reader = try Program(
            "curl",
            [
                "-sSN", "--max-time", "290", "-H", "Authorization: Bearer \(Self.token)",
                "\(address)/__drawbridge__/calls/events",
            ])
        _ = try await curl("\(address)/echo?_mobile_bridge=1")
        _ = try await reader.line(with: "event: record")
        let began = ContinuousClock.now
        program.child.terminate()
        #expect(await program.child.exitCode() == 0)
        #expect(began.duration(to: .now) < .seconds(200))
        #expect(await reader.child.exitCode() == 0)
    }
}
