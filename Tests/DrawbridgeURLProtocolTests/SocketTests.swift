import Drawbridge
import DrawbridgeServer
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// A `URLProtocol` class behind a gateway that listens.
@Suite(.timeLimit(.minutes(5))) struct SocketTests {
    private static func serving(_ gateway: Gateway, _ test: (Int) async throws -> Void) async throws {
        let server = try GatewayServer(
            gateway, .init(port: 0, grace: .milliseconds(200), logsRequests: false))
        do {
            try await test(server.address.port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func ask(_ port: Int, _ head: String, _ body: String = "") async throws -> RawAnswer {
        try await blocking {
            let client = try RawClient(port)
            try client.send(
                "\(head) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try client.reply()
        }
    }

    @Test func dataOfKnownAndOfUnknownLengthIsSent() async throws {
        let known = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "9", "Set-Cookie": "a=1, b=2"])
            scripted.load("all ")
            scripted.load("of it")
            scripted.finish()
        }
        let short = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "100"])
            scripted.load("not all of it")
            scripted.finish()
        }
        let unknown = ScriptedProtocol.script { scripted in
            scripted.receive()
            for number in 0..<10_000 { scripted.load("\(number)\n") }
            scripted.finish()
        }
        try await Self.serving(.scripted()) { port in
            let reply = try await Self.ask(port, "GET \(known)")
            #expect(reply.text == "all of it" && reply["Content-Length"] == "9")
            #expect(reply.all("Set-Cookie") == ["a=1", "b=2"])
            let chunked = try await Self.ask(port, "GET \(unknown)")
            #expect(chunked["Transfer-Encoding"] == "chunked")
            #expect(chunked.text == (0..<10_000).map { "\($0)\n" }.joined())
            // A length that is not kept breaks the transfer off.
            await #expect(throws: RawClient.Failure.self) { try await Self.ask(port, "GET \(short)") }
        }
    }

    @Test func aFailureIsAnsweredWith502() async throws {
        let path = ScriptedProtocol.script { $0.fail(URLError(.cannotConnectToHost)) }
        try await Self.serving(.scripted()) { port in
            let reply = try await Self.ask(port, "GET \(path)")
            #expect(reply.status == 502)
        }
    }

    @Test func aLargeBodyIsAStreamAndASmallOneIsData() async throws {
        let path = ScriptedProtocol.script { scripted in
            guard let stream = scripted.request.httpBodyStream else {
                return scripted.answer("\(scripted.request.httpBody?.count ?? 0) bytes")
            }
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            var sum = 0
            while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 { sum += count }
            scripted.answer("a stream of \(sum)")
        }
        let gateway = Gateway.testing(bodyLimit: 100_000)
        gateway.register(ScriptedProtocol.self)
        try await Self.serving(gateway) { port in
            for (count, expected) in [
                (10, "10 bytes"), (90_000, "90000 bytes"), (30_000_000, "a stream of 30000000"),
            ] {
                let body = String(repeating: "x", count: count)
                let reply = try await Self.ask(port, "POST \(path)", body)
                #expect(reply.text == expected)
            }
        }
    }

    @Test func aCallerThatLeavesStopsItsInstance() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { _ in journal.note("start") }
        try await Self.serving(.scripted()) { port in
            let client = try await blocking {
                let client = try RawClient(port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return client
            }
            await journal.wait(for: 1)
            client.close()
            await journal.wait(for: 2)
        }
    }

    @Test func aHeadRequestStopsItsInstanceToo() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { scripted in
            scripted.receive(200, ["Content-Length": "1000"])
            scripted.finish()
        }
        try await Self.serving(.scripted()) { port in
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try client.reply(toHead: true)
            }
            #expect(reply["Content-Length"] == "1000")
            await journal.wait(for: 1)
        }
    }
}
