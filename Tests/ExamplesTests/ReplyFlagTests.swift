import Drawbridge
import Foundation
import TestSupport
import Testing

/// Native calls mocked without Swift: `--reply`, `--replies`, and the replies of a configuration file.
@Suite("Replies by flags and files", .timeLimit(.minutes(2))) struct ReplyFlagTests {
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

    @Test func repliesOfFlagsGoBeforeThoseOfFilesAndTheseBeforeTheConfigurations() async throws {
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
            "--reply", "c=\"first\"", "--reply", "c=\"flag\"", "--replies", one, "--replies", two, "-c",
            config)
        let address = try await program.address()
        for (name, value) in [("a", "one"), ("b", "two"), ("c", "flag")] {
            #expect(try await Self.call(address, name) == Self.data("\"\(value)\""))
        }
        #expect(try await Self.call(address, "pay") == Self.data(#"{"code":0}"#))
        #expect(try await Self.call(address, "echo", "[1]") == Self.data("[1]"))
        _ = try await program.line(with: "POST /c?_mobile_bridge=1  reply c  200")
    }

    @Test(arguments: [
        (["--reply", "getUser"], "write name=value, for instance 'getUser={\"nick\":\"Ann\"}'", 64),
        (["--reply", "getUser=Ann"], "a text stands in quotes: 'getUser=\"Ann\"'", 64),
        (
            ["--reply", #"a={"$replay":1}"#],
            "--reply a: $replay: there is no word $replay; did you mean $reply?", 64
        ),
        (["--replies", "/no/such.json"], "cannot read /no/such.json", 1),
    ])
    func aMistakeEndsTheStart(_ arguments: [String], _ sentence: String, _ code: Int32) async throws {
        let program = try Program.product("drawbridge", ["-p", "0"] + arguments)
        _ = try await program.line(with: sentence)
        #expect(await program.child.exitCode() == code)
    }

    @Test(arguments: ["--replies", "-c"]) func aMistakeInAFileIsSaidWithItsPlace(_ flag: String) async throws
    {
        let folder = try Folder()
        let file = try folder.write("mine.json", "{\n  \"replies\": {\n    \"pay\": {\"$delay\": 1}\n  }\n}")
        let program = try Self.drawbridge(flag, file)
        _ = try await program.line(
            with: "mine.json, line 3, column 5, replies.pay: what is answered is missing")
        #expect(await program.child.exitCode() == 1)
    }

    /// While a page calls, each answer is the whole old or the whole new one; a broken file changes nothing.
    @Test func aSaveCountsAsAWholeAndAtOnce() async throws {
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
