import Drawbridge
import DrawbridgeServer
import EngineSupport
import Foundation
import HTTPTypes
import MicroHTTPD
import ProgramSupport
import Synchronization
import TestSupport
import Testing

/// Replies that ask a program: `$forward`.
@Suite("Mocks that forward to a program", .timeLimit(.minutes(5))) struct ForwardTests {
    private static func drawbridge(_ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments)
    }

    private static func call(_ address: String, _ name: String) async throws -> String {
        try await curl("\(address)/\(name)?_mobile_bridge=1&n=1")
    }

    private static func reply(_ name: String, _ url: String) -> String {
        "\(name)={\"$forward\": \"\(url)\"}"
    }

    @Test func aForwardedCallIsAnsweredByTheProgram() async throws {
        let native = HTTPServer { exchange in
            let body = String(decoding: exchange.body, as: UTF8.self)
            exchange.send(HTTPResponse(status: .ok), Array(#"{"got":\#(body)}"#.utf8))
        }
        try native.start()
        let program = try Self.drawbridge(
            "--reply", Self.reply("price/*", "http://127.0.0.1:\(native.port)/native"))
        #expect(
            try await Self.call(program.address(), "price/3")
                == #"{"code":200,"data":{"got":{"name":"price/3","input":{"n":"1"},"page":null}},"message":""}"#
        )
        _ = try await program.line(with: "reply price/*")
        await native.stop(within: .zero)
    }

    @Test func theFieldsOfThePagesRequestAreNotForwarded() async throws {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge("--reply", Self.reply("a", mirror.url + "/native"))
        let answer = try JSON(
            parsing: Array(
                try await curl(
                    "-H", "Cookie: sid=1", "-H", "Authorization: Basic x", "-H", "X-Own: 1",
                    "\(program.address())/a?_mobile_bridge=1"
                ).utf8))
        #expect(answer["data"]?["asked"] == "POST /native")
        let fields = answer["data"]?["fields"]?.objectValue?.map { $0.key.lowercased() } ?? []
        #expect(fields.contains("content-type"))
        for name in ["cookie", "authorization", "x-own", "x-forwarded-for"] {
            #expect(!fields.contains(name))
        }
        await mirror.stop()
    }

    @Test func aFailedForwardIsAnErrorAndIsLogged() async throws {
        let mirror = try MirrorServer()
        let origin = mirror.url
        let url = origin + "/moved"
        let program = try Self.drawbridge(
            "--reply", Self.reply("moved", url), "--reply", Self.reply("page", origin + "/page.html"))
        let address = try await program.address()
        #expect(try await Self.call(address, "moved").contains("\(url) answers 302"))
        #expect(try await Self.call(address, "page").contains("answers something that is not JSON"))
        await mirror.stop()
        #expect(try await Self.call(address, "moved").contains("cannot connect to \(origin.dropFirst(7))"))
        _ = try await program.line(with: "warning: $forward \(origin): cannot connect")
    }

    @Test(arguments: ["https://mocks.example/native", "http://192.0.2.1:3000/"])
    func anotherMachineIsAskedOnlyIfTheForwardToFlagNamesIt(_ url: String) async throws {
        let origin = url.split(separator: "/").prefix(2).joined(separator: "//")
        let program = try Self.drawbridge("--reply", Self.reply("a", url))
        #expect(await program.child.exitCode() == 1)
        _ = try await program.line(with: "start the gateway with --forward-to \(origin), or name a program")
        let allowed = try Self.drawbridge("--reply", Self.reply("a", url), "--forward-to", origin)
        _ = try await allowed.address()
    }

    /// The gateway itself, and what no page has any business with, however it is named.
    @Test func callsAreForwardedNeitherToTheGatewayNorToCloudMetadata() async throws {
        let folder = try Folder()
        let file = try folder.write("mocks.json", #"{"replies": {"a": 1}}"#)
        let program = try Self.drawbridge("--replies", file, "--forward-to", "http://169.254.169.254")
        let address = try await program.address()
        try folder.write(
            "mocks.json",
            """
            {"replies": {"self": {"$forward": "\(address)/__jsbridge__/self"},
                         "cloud": {"$forward": "http://169.254.169.254/latest"}}}
            """)
        _ = try await program.line(with: "2 new (cloud, self), 1 gone (a), 0 as before")
        let own = try await Self.call(address, "self")
        #expect(
            own.contains("is this gateway itself; let $forward name the port of another program"), "\(own)")
        let cloud = try await Self.call(address, "cloud")
        #expect(cloud.contains("a cloud's metadata service, which $forward may not call"), "\(cloud)")

        // A save brings no way to another machine that the start did not.
        try folder.write("mocks.json", #"{"replies": {"away": {"$forward": "http://192.0.2.1/"}}}"#)
        let line = try await program.line(
            with: "mocks.json: $forward leads to another machine, http://192.0.2.1")
        #expect(line.contains("; still using the previous version"))
        #expect(try await Self.call(address, "cloud").contains("metadata"))
        #expect(try await Self.call(address, "away").contains("No response"))
    }

    /// What a program may do wrong: each is an error that names it, and a line.
    @Test func eachMistakeOfAProgramIsAnErrorThatNamesIt() async throws {
        let bodies: [String: [UInt8]] = [
            "long": Array(repeating: UInt8(ascii: " "), count: (8 << 20) + 1), "two": Array("1 2".utf8),
            "empty": [], "text": Array("<p>".utf8), "bytes": [0x22, 0xFF, 0x22],
        ]
        let native = HTTPServer { exchange in
            let name = String(exchange.head.target.dropFirst())
            if name == "told" {
                let message = String(repeating: "no ", count: 1000)
                return exchange.send(
                    HTTPResponse(status: .internalServerError), Array(#"{"message":"\#(message)"}"#.utf8))
            }
            exchange.send(HTTPResponse(status: .ok), bodies[name] ?? [])
        }
        try native.start()
        let url = "http://127.0.0.1:\(native.port)"
        let folder = try Folder()
        let names = bodies.keys.sorted() + ["told"]
        let replies = names.map { "\"\($0)\": {\"$forward\": \"\(url)/\($0)\"}" }.joined(separator: ", ")
        let program = try Self.drawbridge(
            "--replies", try folder.write("mocks.json", "{\"replies\": {\(replies)}}"))
        let address = try await program.address()
        for name in names {
            let answer = try await Self.call(address, name)
            let wrong =
                switch name {
                case "long": "answers 200 and more than 8388608 bytes; let it answer less"
                case "told": "answers 500: no no "
                default: "answers something that is not JSON"
                }
            #expect(
                answer.contains(#""code":502"#) && answer.contains("\(url)/\(name) \(wrong)"), "\(answer)")
            #expect(answer.utf8.count < 600)
            _ = try await program.line(with: "error: reply \(name): \(url)/\(name) \(wrong)")
        }
        await native.stop(within: .zero)
    }

    /// A program that answers bit by bit is not silent, and still has no more than its time.
    @Test func theTimeLimitIsForAProgramsWholeAnswer() async throws {
        let native = HTTPServer { exchange in
            exchange.begin(HTTPResponse(status: .ok), length: nil)
            while (try? await exchange.write([0x20])) != nil {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        try native.start()
        let gateway = Gateway()
        gateway.configure { $0.replySupplier = OutsideReplies(origins: [], patience: .milliseconds(300)) }
        try gateway.mock(["slow": ["$forward": .string("http://127.0.0.1:\(native.port)/slow")]])
        let answer = try await gateway.respond(to: Request("/slow?_mobile_bridge=1")).body.collect()
        #expect(
            String(decoding: answer, as: UTF8.self).contains("gave no complete answer within 0.3 seconds"))
        await native.stop(within: .zero)
    }
}
