import Drawbridge
import DrawbridgeServer
import Glibc
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// Bodies that the engine streams and others collect use the memory for bodies too; so does what a handler writes at
/// once.
@Suite("The memory for bodies", .timeLimit(.minutes(5))) struct BodyRoomTests {
    private static let megabyte = 1 << 20

    /// Serves with 12 MB for all bodies.
    private static func serving(
        _ middleware: [any Middleware] = [], _ test: (_ port: Int) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration(port: 0, loops: 1, logsRequests: false)
        configuration.limits.memoryForBodies = 12 * megabyte
        let gateway = Gateway(middleware: middleware)
        try gateway.register(Collecting.self, at: "/collecting")
        try gateway.register(Size.self, at: "/size")
        try gateway.register(Writing.self, at: "/writing")
        try await DrawbridgeServerTests.serving(gateway, configuration, test)
    }

    /// By a handler that reads a stream, and by middleware that sends to native what did not look like it.
    @Test(arguments: ["/collecting?_mobile_bridge=1", "/renamed?to=/size"])
    func collectedStreamsCountAgainstTheMemoryForBodies(_ target: String) async throws {
        try await Self.serving([Renaming()]) { port in
            let head = "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(6 << 20)\r\n\r\n"
            let body = [UInt8](repeating: 1, count: 6 * Self.megabyte)
            // What is given back is there for the next ones.
            for _ in 0..<3 {
                let replies = try await blocking {
                    let clients = try (0..<10).map { _ in
                        let client = try RawClient(port, timeout: 30)
                        try client.send(head)
                        // Who is refused before that is read no more.
                        try? client.send(Array(body.dropLast()))
                        return client
                    }
                    return try clients.map { client in
                        try? client.send(Array(body.suffix(1)))
                        return try client.reply()
                    }
                }
                let (taken, others) = (
                    replies.filter { $0.status == 200 }, replies.filter { $0.status != 200 }
                )
                #expect(!taken.isEmpty && !others.isEmpty)
                #expect(taken.allSatisfy { $0.text.contains("\(6 << 20)") })
                for reply in others {
                    #expect(reply.status == 503 && reply["Retry-After"] == "1")
                    #expect(reply.text.contains("--memory-for-bodies"))
                }
            }
        }
    }

    @Test func unreadOutputOfAHandlerCountsAgainstTheMemoryForBodies() async throws {
        try await Self.serving { port in
            try await blocking {
                let slow = try RawClient(port, receiveBuffer: 4096, timeout: 30)
                try slow.send("GET /writing?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try slow.head()
                try Self.waitUntilABody(isTaken: false, port)
                slow.close()
                try Self.waitUntilABody(isTaken: true, port)
            }
        }
    }

    /// Asks whether a body of 6 MB would be taken, until it would or would not.
    private static func waitUntilABody(isTaken: Bool, _ port: Int) throws {
        let end = now() + 60
        while now() < end {
            let client = try RawClient(port, timeout: 30)
            try client.send(
                """
                POST /size?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\
                Content-Length: \(6 << 20)\r\n\r\n
                """)
            let status = try client.head().status
            #expect(status == 100 || status == 503)
            if (status == 100) == isTaken { return }
            usleep(1000)
        }
        throw RawClient.Failure.timeout
    }

    private struct Renaming: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response {
            guard request.path == "/renamed", let path = request.query["to"] else {
                return await next(request)
            }
            var head = request.head
            head.path = path + "?_mobile_bridge=1"
            return await next(Request(head: head, body: request.body, remoteAddress: request.remoteAddress))
        }
    }

    private struct Collecting: Handler {
        static let options = HandlerOptions(body: .streamed)

        func handle(_ request: Request) async throws -> Response {
            try Response(output: try await request.body.collect(upTo: 8 << 20).count)
        }
    }

    private struct Size: Handler {
        func handle(_ request: Request) async throws -> Response {
            try Response(output: request.body.bytes?.count)
        }
    }

    private struct Writing: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(
                body: .stream(length: nil) { client in
                    try await client.didLoad([UInt8](repeating: 1, count: 8 << 20))
                })
        }
    }
}
