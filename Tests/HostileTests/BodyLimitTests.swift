import Drawbridge
import TestSupport
import Testing

/// A body that is larger than is taken here (RFC 9110, section 15.5.14).
@Suite("Hostile 20: a body over the limit is a 413, and is not kept", .timeLimit(.minutes(5)))
struct BodyLimitTests {
    private struct Size: JSONHandler {
        let request: Request

        func handle(_ input: Nothing) async throws -> Int { request.body.bytes?.count ?? -1 }
    }

    @Test(
        arguments: [(999, 200), (1000, 200), (1001, 413), (100_000, 413)],
        ["/size?_mobile_bridge=1", "/__jsbridge__/size"])
    func theBodyLimitIsTheSameByLengthAndInChunks(_ expected: (count: Int, status: Int), _ target: String)
        async throws
    {
        let gateway = Gateway.quiet(bodyLimit: 1000)
        try gateway.register(Size.self, at: "/size")
        try await serving(gateway) { port in
            let body = Array("a=".utf8) + [UInt8](repeating: 0x62, count: expected.count - 2)
            let byLength = try await replies(port, post(target, body))
            #expect(byLength.map(\.status) == [expected.status])
            let head =
                "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = stride(from: 0, to: body.count, by: 100).flatMap { start in
                let chunk = body[start..<min(start + 100, body.count)]
                return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
            }
            let inChunks = try await replies(port, Array(head.utf8) + chunks + Array("0\r\n\r\n".utf8))
            #expect(inChunks.map(\.status) == [expected.status])
        }
    }

    /// In a process of its own, whose memory is its alone.
    @Test(arguments: [false, true]) func noMoreOfABodyThanTheLimitIsKeptInMemory(_ isChunked: Bool)
        async throws
    {
        let (limit, sent) = (8 << 20, 48 << 20)
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        try await isAlive(port, by: "/echo")
        let before = residentBytes(of: String(server.child.processIdentifier))
        let status = try await blocking {
            let client = try RawClient(port)
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(sent)"
            try client.send("POST /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 1 << 20)
            for _ in 0..<(sent >> 20) {
                try client.send(isChunked ? Array("100000\r\n".utf8) + piece + [13, 10] : piece)
            }
            if isChunked { try client.send("0\r\n\r\n") }
            return try client.reply().status
        }
        #expect(status == 413)
        let peak = peakBytes(of: String(server.child.processIdentifier))
        // An array that grows has its old and its new place for a moment.
        #expect(peak - before < 3 * limit, "\((peak - before) >> 20) MB")
        try await isAlive(port, by: "/echo")
        #expect(await server.stop() == 0)
    }
}
