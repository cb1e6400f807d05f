import Drawbridge
import Foundation
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// Replies that ask a program: `$forward`.
@Suite("Replies that ask a program", .timeLimit(.minutes(2))) struct ForwardTests {
    private static func drawbridge(_ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments)
    }

    private static func call(_ address: String, _ name: String) async throws -> String {
        try await curl("\(address)/\(name)?_mobile_bridge=1&n=1")
    }

    private static func reply(_ name: String, _ url: String) -> String {
        "\(name)={\"$forward\": \"\(url)\"}"
    }

    @Test func aProgramAnswersAsItLikes() async throws {
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

    @Test func nothingOfThePagesGoesAlong() async throws {
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

    @Test func aProgramThatIsDownIsAnErrorAndALineThatCounts() async throws {
        let mirror = try MirrorServer()
        let origin = mirror.url
        let url = origin + "/moved"
        let program = try Self.drawbridge(
            "--reply", Self.reply("moved", url), "--reply", Self.reply("page", origin + "/page.html"))
        let address = try await program.address()
        #expect(try await Self.call(address, "moved").contains("\(url) answers 302"))
        #expect(try await Self.call(address, "page").contains("answers what is no JSON"))
        await mirror.stop()
        #expect(try await Self.call(address, "moved").contains("cannot connect to \(origin.dropFirst(7))"))
        _ = try await program.line(with: "warning: $forward \(origin): cannot connect")
    }

    @Test(arguments: ["https://mocks.example/native", "http://192.0.2.1:3000/"])
    func anotherMachineIsAskedWhereSomebodySaysSo(_ url: String) async throws {
        let origin = url.split(separator: "/").prefix(2).joined(separator: "//")
        let program = try Self.drawbridge("--reply", Self.reply("a", url))
        #expect(await program.child.exitCode() == 1)
        _ = try await program.line(with: "allow it with --forward-to \(origin)")
        let allowed = try Self.drawbridge("--reply", Self.reply("a", url), "--forward-to", origin)
        _ = try await allowed.address()
    }

    /// The gateway itself, and what no page has any business with, however it is named.
    @Test func neitherTheGatewayNorAServiceOfTheCloudIsAsked() async throws {
        let folder = try Folder()
        let file = try folder.write("mocks.json", #"{"replies": {"a": 1}}"#)
        let program = try Self.drawbridge("--replies", file, "--forward-to", "http://169.254.169.254")
        let address = try await program.address()
        try folder.write(
            "mocks.json",
            """
            {"replies": {"self": {"$forward": "\(address)/__jsbridge__/self"},
                         "cloud": {"$forward": "http://169.254.169.254/latest"},
                         "away": {"$forward": "http://192.0.2.1/"}}}
            """)
        _ = try await program.line(with: "allow it with --forward-to http://192.0.2.1")
        #expect(try await Self.call(address, "self").contains("is this gateway itself"))
        #expect(try await Self.call(address, "cloud").contains("a cloud's metadata service"))
        #expect(try await Self.call(address, "away").contains("allow it with --forward-to http://192.0.2.1"))
    }
}
