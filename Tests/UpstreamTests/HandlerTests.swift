import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport
import Testing

/// Handlers that let a request go on, changed, and change what comes back; and the page runtime's tag.
@Suite("Handlers and script tags between a page and its server", .timeLimit(.minutes(5)))
struct HandlerTests {
    /// Changes all there is of a request, and of its answer.
    private struct Changing: Handler {
        func handle(_ request: Request) async throws -> Response {
            var request = request
            request.path = "/changed"
            request.query["added"] = "a b"
            request.method = .put
            request.headers[.accept] = "text/changed"
            request.headers[.contentType] = "text/plain"
            request.body = .init("changed body")
            var response = try await request.passThrough()
            response.status = .accepted
            response.headers[.cacheControl] = "no-store"
            response.body = response.body.map { $0.map { $0 == UInt8(ascii: "o") ? UInt8(ascii: "0") : $0 } }
            return response
        }
    }

    private static let echo: @Sendable (RawConnection, String) throws -> Void = { connection, head in
        let body = String(decoding: try connection.readBody(after: head), as: UTF8.self)
        let line = head.prefix { $0 != "\r\n" }
        try connection.send(ok("\(line)|\(head.field("Accept") ?? "")|\(body)|o", "X-A: a"))
    }

    @Test func aHandlerChangesARequestAndItsAnswer() async throws {
        let upstream = try RawUpstream(answering: Self.echo)
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        try gateway.register(Changing.self, at: "/change")
        try await serving(gateway) { port in
            let reply = try await reply(
                port, request("POST", "/change?_mobile_bridge=1&a=b", body: #"{"some":"input"}"#))
            #expect(reply.status == 202)
            #expect(reply["X-A"] == "a")
            #expect(reply["Cache-Control"] == "no-store")
            #expect(
                reply.text == "PUT /changed?a=b&added=a%20b HTTP/1.1|text/changed|changed b0dy|0",
                "\(reply.text)")
            #expect(upstream.received.fields("Content-Length") == ["12"])
        }
    }

    /// Sends the request on to what the caller names, without a look at it.
    private struct Careless: Handler {
        func handle(_ request: Request) async throws -> Response {
            var request = request
            request.target = "/" + (request.query["name"] ?? "")
            return try await request.passThrough()
        }
    }

    @Test(arguments: [
        "a%20b", "a%20HTTP/1.1%0D%0AX-Evil:%20yes%0D%0A%0D%0AGET%20/more", "a%0Ab", "%7F", "%C3%A4",
    ])
    func aHandlersTargetCannotBreakTheRequestLine(_ name: String) async throws {
        let upstream = try RawUpstream(answering: Self.echo)
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        try gateway.register(Careless.self, at: "/careless")
        try await serving(gateway) { port in
            let refused = try await reply(port, get("/careless?_mobile_bridge=1&name=\(name)"))
            #expect(refused.status == 500)
            #expect(refused.text.contains("percent-encode it"))
            let next = try await reply(port, get("/careless?_mobile_bridge=1&name=a"))
            #expect(next.text.hasPrefix("GET /a HTTP/1.1|"))
            #expect(!upstream.received.contains("Evil"))
        }
    }

    /// Hands a large answer on, as it comes.
    private struct Streaming: Handler {
        static let options = HandlerOptions(body: .streamed)

        func handle(_ request: Request) async throws -> Response { try await request.passThrough() }
    }

    @Test func bodiesThatAHandlerLetsThroughAreStreamed() async throws {
        let upstream = try RawUpstream { connection, head in
            let body = try connection.readBody(after: head)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            try connection.send(body)
        }
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        try gateway.register(Streaming.self, at: "/stream")
        try await serving(gateway) { port in
            let body = pattern(10 << 20)
            let reply = try await reply(
                port, request("POST", "/stream?_mobile_bridge=1", "Content-Length: \(body.count)") + body)
            #expect(reply.body == body)
        }
    }

    /// Asks, and does not look at the answer.
    private struct Ignoring: Handler {
        func handle(_ request: Request) async throws -> Response {
            _ = try await request.passThrough()
            return Response(text: "own")
        }
    }

    @Test func anAnswerThatNobodyReadsIsBrokenOff() async throws {
        let upstream = try RawUpstream { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try connection.send("4\r\nmore\r\n") }
        }
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        try gateway.register(Ignoring.self, at: "/ignore")
        try await serving(gateway) { port in
            let reply = try await reply(port, get("/ignore?_mobile_bridge=1"))
            #expect(reply.text == "own")
            try await upstream.connections.value[0].isOver.wait { $0 }
        }
    }

    // MARK: The page runtime

    private static let page =
        "<!doctype html><html><head><title>a page</title></head><body>\(filler)</body></html>"
    private static let filler = String(repeating: "text ", count: 2000)

    enum Framing: CaseIterable { case length, chunks, bytes, end }

    @Test(arguments: Framing.allCases)
    func theScriptTagIsPutIntoAPage(_ framing: Framing) async throws {
        let upstream = try RawUpstream { connection, _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            let page = Self.page
            switch framing {
            case .length: try connection.send("\(head)Content-Length: \(page.utf8.count)\r\n\r\n\(page)")
            case .chunks, .bytes:
                try connection.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
                let size = framing == .bytes ? 1 : 100
                for start in stride(from: 0, to: page.utf8.count, by: size) {
                    let piece = page.dropFirst(start).prefix(size)
                    try connection.send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
                    if start > 600 {
                        let rest = page.dropFirst(start + size)
                        try connection.send("\(String(rest.utf8.count, radix: 16))\r\n\(rest)\r\n")
                        break
                    }
                }
                try connection.send("0\r\n\r\n")
            case .end:
                try connection.send("\(head)\r\n\(page)")
                connection.close()
            }
        }
        defer { upstream.stop() }
        let url = "http://127.0.0.1:\(upstream.port)"
        try await serving(.quiet([.upstream(url)], pageRuntime: PageRuntime())) { port in
            let document = try await reply(port, get("/", "Sec-Fetch-Dest: document"))
            let tag = try #require(
                document.text.firstMatch(of: /<script[^>]*>.*?<\/script>/.dotMatchesNewlines()))
            #expect(document.text.replacing(tag.output, with: "", maxReplacements: 1) == Self.page)
            // A script that fetches it gets it as it is.
            let part = try await reply(port, get("/", "Sec-Fetch-Dest: empty"))
            #expect(part.text == Self.page)
        }
    }

    @Test func compressedAnswersPassUntouched() async throws {
        // Ten bytes that pretend to become a gigabyte, and a hundred kilobytes of them.
        let bomb = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 100 << 10)
        let upstream = try RawUpstream { connection, _ in
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
            )
            try connection.send(bomb)
        }
        defer { upstream.stop() }
        let url = "http://127.0.0.1:\(upstream.port)"
        try await serving(.quiet([.upstream(url)], pageRuntime: PageRuntime())) { port in
            let reply = try await reply(
                port, get("/", "Sec-Fetch-Dest: document", "Accept-Encoding: gzip"))
            #expect(reply.body == bomb)
            #expect(reply["Content-Encoding"] == "gzip")
        }
    }
}
