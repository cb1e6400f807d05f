import Drawbridge
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import DrawbridgeServer

/// The core on the engine, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct GatewayServerTests {
    /// Starts a gateway on a port of its own, runs the test, and stops it.
    private static func serving(_ gateway: Gateway, _ test: (Int) async throws -> Void) async throws {
        try await DrawbridgeServerTests.serving(
            gateway, .init(port: 0, grace: .milliseconds(200), logsRequests: false), test)
    }

    private static func ask(_ port: Int, _ request: String) async throws -> RawAnswer {
        try await blocking {
            let client = try RawClient(port)
            try client.send(request)
            return try client.reply()
        }
    }

    @Test func aHandlerAnswersOverASocket() async throws {
        let gateway = Gateway()
        try gateway.register(Echo.self, at: "/echo")
        try await Self.serving(gateway) { port in
            let reply = try await Self.ask(
                port, "GET /echo?_mobile_bridge=1&a=%C3%A9 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(reply.status == 200)
            #expect(reply["Content-Length"] == "43")
            #expect(reply["Content-Type"] == "text/json")
            #expect(reply.text == #"{"code":200,"data":{"a":"é"},"message":""}"#)
        }
    }

    @Test func aSecondStopDoesNotAffectOtherServers() async throws {
        let gateway = Gateway(keepsJournal: true)
        let first = try GatewayServer(gateway, .init(port: 0, grace: .zero, logsRequests: false))
        let port = first.address.port
        await first.stop()
        // As another server of this process that has got the port.
        OwnPorts.add(port)
        defer { OwnPorts.remove(port) }
        let second = try GatewayServer(gateway, .init(port: 0, grace: .zero, logsRequests: false))
        await first.stop()
        #expect(OwnPorts.all.contains(port))
        #expect(!gateway.journal.isStopping)
        await second.stop()
        #expect(gateway.journal.isStopping)
    }

    @Test func aBodyIsReadAsAStreamByAHandlerThatAsks() async throws {
        let gateway = Gateway(bodyLimit: 10)
        try gateway.register(Count.self, at: "/count")
        try gateway.register(Echo.self, at: "/echo")
        try await Self.serving(gateway) { port in
            let body = String(repeating: "x", count: 3 << 20)
            let rest = "Host: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let streamed = try await Self.ask(port, "POST /count?_mobile_bridge=1 HTTP/1.1\r\n\(rest)")
            #expect(streamed.text == #"{"code":200,"data":3145728,"message":""}"#)
            let collected = try await Self.ask(port, "POST /echo?_mobile_bridge=1 HTTP/1.1\r\n\(rest)")
            #expect(collected.status == 413)
            #expect(
                collected.text
                    == #"{"code":413,"message":"the body has 3145728 bytes; the limit is 10"}"#)
        }
    }

    @Test func aStreamIsSentInChunks() async throws {
        let gateway = Gateway()
        try gateway.register(Numbers.self, at: "/numbers")
        try await Self.serving(gateway) { port in
            let reply = try await Self.ask(
                port, "GET /numbers?_mobile_bridge=1&count=20000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(reply["Transfer-Encoding"] == "chunked")
            #expect(reply.text == (1...20000).map { "\($0)\n" }.joined())
        }
    }

    @Test func requestsRefusedBeforeAHandlerHaveAnErrorStatus() async throws {
        try await Self.serving(Gateway()) { port in
            let reply = try await Self.ask(
                port,
                """
                POST /x?_mobile_bridge=1 HTTP/1.1\r
                Host: evil.example\r
                Expect: 100-continue\r
                Content-Length: 5\r
                \r

                """)
            #expect(reply.status == 403)
            #expect(reply.text.contains("--allowed-hosts evil.example"))
        }
    }

    /// A long poll of a page that was closed must not stay.
    @Test func everyHandlerLearnsThatItsCallerLeft() async throws {
        let callersAtOnce = 1000
        let counts = Counts()
        let gateway = Gateway()
        try gateway.register(at: "/wait") { Wait(counts: counts) }
        try await Self.serving(gateway) { port in
            _ = try await Self.ask(port, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let callers = try await blocking {
                try (0..<callersAtOnce).map { _ in
                    let client = try RawClient(port)
                    try client.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return client
                }
            }
            #expect(await eventually { counts.started == callersAtOnce })
            for caller in callers { caller.close() }
            #expect(await eventually { counts.stopped == callersAtOnce })
            #expect(await eventually { counts.ended == callersAtOnce })
        }
    }
}

private struct Echo: JSONHandler {
    func handle(_ input: JSON) async throws -> JSON { input }
}

private struct Count: Handler {
    static let options = HandlerOptions(body: .streamed)

    func handle(_ request: Request) async throws -> Response {
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return try Response(output: count)
    }
}

private struct Numbers: Handler {
    func handle(_ request: Request) async throws -> Response {
        let count = request.query["count"].flatMap { Int($0) } ?? 1
        return Response(contentType: "text/plain") { client in
            for number in 1...count { try await client.didLoad("\(number)\n") }
        }
    }
}

/// Waits until it is cancelled, and counts what it goes through.
private struct Wait: Handler {
    static let options = HandlerOptions(deadline: nil)

    let counts: Counts

    func handle(_ request: Request) async throws -> Response {
        counts.add(to: \.started)
        defer { counts.add(to: \.ended) }
        try await Task.sleep(for: .seconds(3600))
        return Response()
    }

    func stopLoading() { counts.add(to: \.stopped) }
}

private final class Counts: Sendable {
    struct Values {
        var started = 0
        var stopped = 0
        var ended = 0
    }

    private let values = Mutex(Values())

    var started: Int { values.withLock { $0.started } }
    var stopped: Int { values.withLock { $0.stopped } }
    var ended: Int { values.withLock { $0.ended } }

    func add(to count: WritableKeyPath<Values, Int>) {
        values.withLock { $0[keyPath: count] += 1 }
    }
}
