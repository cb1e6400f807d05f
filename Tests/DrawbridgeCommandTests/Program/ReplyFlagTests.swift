import Drawbridge
import Foundation
import TestSupport
import Testing

/// Native calls mocked without Swift: `--reply`, `--replies`, and the replies of a configuration file.
@Suite("Mocks from flags and files", .timeLimit(.minutes(5))) struct ReplyFlagTests {
    private static func drawbridge(_ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments)
    }

    /// What a flagged request for a name gives.
    private static func call(_ address: String, _ name: String, _ input: String = "null") async throws
        -> String
    {
        try await curl(
            "-H", "Content-Type: application/json", "-d", input, "\(address)/\(name)?_mobile_bridge=1")
    }

    private static func data(_ value: String) -> String { #"{"code":200,"data":\#(value),"message":""}"# }

    @Test func theSchemaIsPrintedAsItIsServed() async throws {
        let printed = await (try Program.product("drawbridge", ["--schema"])).wholeOutput()
        let program = try Self.drawbridge()
        let served = try await curl("\(try await program.address())/__drawbridge__/schema.json")
        #expect(printed == served + "\n")
        let settings = try JSON(parsing: Array(served.utf8))["properties"]
        #expect(settings?["port"]?["default"] == 8080)
        #expect(settings?["log-format"]?["enum"] == ["text", "json"])
        let bridges = settings?["bridge"]?["properties"]?["name"]?["enum"]?.arrayValue ?? []
        #expect(bridges.contains("webviewjavascriptbridge"))
    }

    @Test func mocksOfFlagsBeatFilesWhichBeatTheConfigurationFile() async throws {
        let folder = try Folder()
        let one = try folder.write("one.json", #"{"replies": {"a": "one", "b": "one", "c": "one"}} // end"#)
        let two = try folder.write("two.json", #"{"$schema": "x", "replies": {"b": "two", "c": "two"}}"#)
        let config = try folder.write(
            "settings.json",
            """
            {
                // Handlers of the command come after it.
                "grace": 0.5,
                "replies": {"pay": {"code": 0}, "a": "config"}
            }
            """)
        let program = try Self.drawbridge(
            "--built-ins", "--reply", "c=\"first\"", "--reply", "c=\"flag\"", "--replies", one, "--replies",
            two, "-c",
            config)
        let address = try await program.address()
        for (name, value) in [("a", "one"), ("b", "two"), ("c", "flag")] {
            #expect(try await Self.call(address, name) == Self.data("\"\(value)\""))
        }
        #expect(try await Self.call(address, "pay") == Self.data(#"{"code":0}"#))
        #expect(try await Self.call(address, "echo", "[1]") == Self.data("[1]"))
        #expect(try await program.line(with: "  reply c ").contains(#" ms  "flag""#))
    }

    @Test func theNameOfAMockCannotControlTheTerminal() async throws {
        let folder = try Folder()
        let file = try folder.write("replies.json", #"{"replies": {"a\u001b[31m\u202eb": 1}}"#)
        let program = try Self.drawbridge("--replies", file)
        let address = try await program.address()
        #expect(try await Self.call(address, "a%1B%5B31m%E2%80%AEb") == Self.data("1"))
        _ = try await program.line(with: "  reply a?[31m?b ")
        #expect(!program.output.contains { $0 == "\u{1b}" || $0 == "\u{202e}" })
    }

    @Test(arguments: [
        (["--reply", "getUser"], "write name=value, for instance 'getUser={\"nick\":\"Ann\"}'", 64),
        (["--reply", "getUser=Ann"], "put a text in double quotes: 'getUser=\"Ann\"'", 64),
        (
            ["--reply", #"a={"$replay":1}"#],
            "mock a: $replay: unknown keyword $replay (did you mean $reply?)", 64
        ),
        (["--reply", #"a={nick:"Ann"}"#], #"all of it in single ones: 'a={"nick":"Ann"}'"#, 64),
        (["--reply", "mine.json"], "to use a file of mocks, write --replies mine.json", 64),
        (["--reply", "@mine.json"], "to use a file of mocks, write --replies mine.json", 64),
        (["--replies", "/no/such.json"], "cannot read /no/such.json", 1),
        (["--replies", "a=1"], "did you mean --reply 'a=1'?", 1),
        (["--replies", ""], "cannot read", 1), (["--reply", "="], "write name=value", 64),
    ])
    func aMistakeInAMockEndsTheStart(_ arguments: [String], _ sentence: String, _ code: Int32) async throws {
        let program = try Program.product("drawbridge", ["-p", "0"] + arguments)
        _ = try await program.line(with: sentence)
        #expect(await program.child.exitCode() == code)
    }

    @Test(arguments: ["--replies", "-c"]) func aMistakeInAFileIsReportedWithItsPlace(_ flag: String)
        async throws
    {
        let folder = try Folder()
        let file = try folder.write("mine.json", "{\n  \"replies\": {\n    \"pay\": {\"$delay\": 1}\n  }\n}")
        let program = try Self.drawbridge(flag, file)
        _ = try await program.line(
            with: "mine.json, line 3, column 5, replies.pay: the answer is missing")
        #expect(await program.child.exitCode() == 1)
    }

    @Test(arguments: [
        (
            #"{"getUser": {"nick": "Ann"}}"#,
            #"line 1, column 2, getUser: getUser does not belong in a file of replies; put mocks into replies"#
        ),
        (#"{"reply": {"a": 1}}"#, "did you mean replies?"), (#"{"mock": {"a": 1}}"#, "did you mean mocks?"),
        ("{}", "the file has no replies"),
    ])
    func aFileOfMocksMayHoldOnlyMocks(_ text: String, _ sentence: String) async throws {
        let folder = try Folder()
        let program = try Self.drawbridge("--replies", try folder.write("mine.json", text))
        _ = try await program.line(with: sentence)
        #expect(await program.child.exitCode() == 1)
    }

    @Test func theBannerAndTheLogNameTheMocks() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "mine.json", #"{"replies": {"b": 1, "a": [{"$delay": 5}], "c": "{{input.x}}"}}"#)
        let program = try Self.drawbridge(
            "--built-ins", "--reply", "x=1", "--replies", file, "--plain", "/*")
        let address = try await program.address()
        _ = try await program.line(with: "  replies   x  (--reply)")
        _ = try await program.line(with: "            a, b, c  (\(file))")
        _ = try await program.line(
            with: "replies.a: this array is sent unchanged, with its keywords; write {\"$sequence\"")
        _ = try await program.line(with: "replies.c: {{…}} is sent unchanged here; to fill it in")
        _ = try await Self.call(address, "nope")
        _ = try await program.line(
            with: "not mocked; add \"nope\" to \(file.split(separator: "/").suffix(2).joined(separator: "/"))"
        )
        try folder.write(
            "mine.json",
            #"{"replies": {"gone": {"$missing": true}, "pay": {"$cases": [{"$when": {"a": 1}, "$reply": 1}]}, "one": {"$cases": [{"$when": {"a": 1}, "$reply": 1}]}}}"#
        )
        _ = try await program.line(with: "reloaded \(file): ")
        _ = try await Self.call(address, "gone")
        _ = try await program.line(with: "reply gone: not available in this app")
        _ = try await Self.call(address, "pay", #"{"a": "1"}"#)
        _ = try await program.line(with: #"handler PayHandler"#)
        _ = try await Self.call(address, "one", #"{"a": "1"}"#)
        _ = try await program.line(with: #"no case fits: a is "1", wanted 1; nobody answers"#)
    }

    /// What is not a file is read once, and never waited for while the gateway runs.
    @Test func aPipedFileIsReadOnceAndNotWatched() async throws {
        let folder = try Folder()
        let command = try Program.path(of: "drawbridge")
        let piped = try Program(
            "bash",
            [
                "-c",
                #"exec '\#(command)' -p 0 -c <(echo '{"grace": 0.5, "replies": {"a": 1}}') --replies <(echo '{"replies": {"b": 2}}')"#,
            ])
        let address = try await piped.address()
        #expect(try await Self.call(address, "a") == Self.data("1"))
        #expect(try await Self.call(address, "b") == Self.data("2"))
        #expect(!piped.output.contains("error"))
        let file = try folder.write("live.json", #"{"replies": {"a": "old"}}"#)
        let program = try Self.drawbridge("--replies", file)
        let own = try await program.address()
        #expect(unlink(file) == 0)
        #expect(mkfifo(file, 0o600) == 0)
        _ = try await program.line(with: "live.json is not a regular file")
        #expect(try await Self.call(own, "a") == Self.data(#""old""#))
        #expect(unlink(file) == 0)
        try folder.write("live.json", #"{"replies": {"a": "new"}}"#)
        _ = try await program.line(with: "live.json: 1 changed (a), 0 as before")
        #expect(try await Self.call(own, "a") == Self.data(#""new""#))
        let never = try Program.product("drawbridge", ["-p", "0", "--replies", folder.path])
        #expect(await never.child.exitCode() == 1)
    }

    /// A file that is broken holds up no other, and is told to be mended when it is.
    @Test func aBrokenFileOfMocksDoesNotBlockTheOthers() async throws {
        let folder = try Folder()
        let one = try folder.write("one.json", #"{"replies": {"a": 1}}"#)
        let two = try folder.write("two.json", #"{"replies": {"b": 1}}"#)
        let program = try Self.drawbridge("--replies", one, "--replies", two)
        let address = try await program.address()
        try folder.write("one.json", "{broken")
        _ = try await program.line(with: "error: \(one), line 1")
        try folder.write("two.json", #"{"replies": {"b": 2}}"#)
        _ = try await program.line(with: "two.json: 1 changed (b), 0 as before")
        #expect(try await Self.call(address, "a") == Self.data("1"))
        #expect(try await Self.call(address, "b") == Self.data("2"))
        try folder.write("one.json", #"{"replies": {"a": 1}}"#)
        _ = try await program.line(with: "one.json is valid again")
        #expect(program.output.split(separator: "\n").count { $0.contains("error: ") } == 1)
    }

    @Test func scenariosAreSwitchedByFilesAndByMocks() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "mine.json",
            #"""
            {"replies": {"login": {"$reply": "in", "$then": [{"scenario": "user/in"}]}, "getUser": "nobody"},
             "scenarios": {"user/out": {"getUser": {"$error": {"code": 401}}}, "user/in": {"getUser": "Ann"},
                           "offline": {"*": {"$error": {"code": 0}}}},
             "scenario": ["user/out"]}
            """#)
        let program = try Self.drawbridge("--replies", file)
        let address = try await program.address()
        _ = try await program.line(with: "  scenarios offline, user/in, user/out (on)")
        #expect(try await Self.call(address, "getUser").contains(#""code":401"#))
        #expect(try await Self.call(address, "login") == Self.data(#""in""#))
        _ = try await program.line(with: "scenario user/in is on")
        #expect(try await Self.call(address, "getUser") == Self.data(#""Ann""#))
        let offline = try Self.drawbridge("--replies", file, "--scenario", "user/in", "--scenario", "offline")
        #expect(try await Self.call(offline.address(), "getUser").contains(#""code":0"#))
        let wrong = try Self.drawbridge("--replies", file, "--scenario", "ofline")
        _ = try await wrong.line(with: "--scenario: there is no scenario ofline; did you mean offline?")
        #expect(await wrong.child.exitCode() == 64)
    }

    /// While a page calls, each answer is the whole old or the whole new one; a broken file changes nothing.
    @Test func aSavedFileIsUsedAsAWholeAndAtOnce() async throws {
        let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 50 : 250
        let folder = try Folder()
        func text(_ n: Int) -> String {
            #"{"replies": {"a": {"n": \#(n), "fill": "\#(String(repeating: "x", count: 20_000))", "end": \#(n)}}}"#
        }
        let file = try folder.write("live.json", text(0))
        let program = try Self.drawbridge("-q", "--replies", file)
        let port = try await program.port()
        let latest = Observed(0)
        let calling = Task {
            try await blocking {
                let client = try RawClient(port)
                while !Task.isCancelled, latest.value < rounds {
                    try client.send("GET /a?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let data = try JSON(parsing: Array(client.reply().text.utf8))["data"]
                    let n = try #require(data?["n"]?.numberValue?.intValue)
                    #expect(data?["end"]?.numberValue?.intValue == n)
                    #expect(n >= latest.value, "an old answer after a new one")
                    latest.change { $0 = n }
                }
            }
        }
        var times: [Duration] = []
        for n in 1...rounds {
            // Some editors write over a file, others put another in its place; some saves are broken.
            if n % 50 == 7 {
                try folder.write("live.json", String(text(n).dropLast(3)))
                _ = try await program.line(with: "live.json, line 1")
            }
            let saved = ContinuousClock.now
            if n % 2 == 0 {
                try folder.write("live.json", text(n))
            } else {
                try folder.write("new.json", text(n))
                #expect(rename("\(folder.path)/new.json", file) == 0)
            }
            try await latest.wait { $0 == n }
            times.append(saved.duration(to: .now))
        }
        try await calling.value
        print("p95 of \(rounds) saves: \(times.sorted()[rounds * 95 / 100])")
    }
}
