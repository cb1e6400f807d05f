import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport
import Testing

/// The way without a task around the handler's own, and the way with one, give the same answers.
@Suite(.timeLimit(.minutes(5))) struct TwoWaysTests {
    private static let requests = [
        "GET /at-once?_mobile_bridge=1 HTTP/1.1",
        "GET /at-once?_mobile_bridge=1&fail=1 HTTP/1.1",
        "GET /at-once?_mobile_bridge=1&trap=1 HTTP/1.1\r\nX-Request-Id: mine",
        "GET /at-once HTTP/1.1",
        "HEAD /at-once?_mobile_bridge=1 HTTP/1.1",
        "OPTIONS /at-once?_mobile_bridge=1 HTTP/1.1",
        "GET /at%2Donce/?_mobile_bridge=1 HTTP/1.1",
        "GET /__jsbridge__/at-once HTTP/1.1",
        "GET /at-once?_mobile_bridge=1 HTTP/1.1\r\nOrigin: http://evil.example",
        "GET /at-once?_mobile_bridge=1 HTTP/1.1\r\nOrigin: https://listed.example",
        "GET /at-once?_mobile_bridge=1 HTTP/1.1\r\nSec-Purpose: prefetch",
        "GET /at-once?_mobile_bridge=1 HTTP/1.1\r\nX-Request-Id: mine",
        "GET /value?_mobile_bridge=1&user=ann HTTP/1.1",
        "GET /value?_mobile_bridge=1 HTTP/1.1",
        "GET /value/7?_mobile_bridge=1&user=ann HTTP/1.1",
        "GET /slow?_mobile_bridge=1 HTTP/1.1",
        "GET /stream?_mobile_bridge=1 HTTP/1.1",
        "GET /nowhere?_mobile_bridge=1 HTTP/1.1",
        "GET /__drawbridge__/nothing HTTP/1.1",
        "POST /value?_mobile_bridge=1 HTTP/1.1\r\nContent-Length: 14\r\n\r\n{\"user\":\"ann\"}",
        "POST /value?_mobile_bridge=1 HTTP/1.1\r\nContent-Length: 9\r\n\r\nuser=anna",
        "POST /value?_mobile_bridge=1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nuser=ann\r\n0\r\n\r\n",
        "POST /value?_mobile_bridge=1 HTTP/1.1\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}",
        "POST /__jsbridge__ HTTP/1.1\r\nContent-Length: 43\r\n\r\n"
            + #"{"action":"value","data":{"user":"someone"}}"#.prefix(43),
        "POST /small?_mobile_bridge=1 HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345",
        "POST /small?_mobile_bridge=1 HTTP/1.1\r\nContent-Length: 4\r\n\r\n1234",
        "POST /bytes?_mobile_bridge=1 HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345",
    ]

    @Test(arguments: [AnswerForm.envelope, .http, .bare], requests)
    func anAnswerIsTheSameWithAndWithoutMiddleware(_ form: AnswerForm, _ request: String) async throws {
        let direct = try await answers(to: request, Self.gateway(form, []))
        let wrapped = try await answers(to: request, Self.gateway(form, [Transparent()]))
        #expect(direct == wrapped)
        // Those to a head that is known are no others.
        #expect(Set(direct).count == 1)
    }

    /// Status, header fields and body, without what differs from one request to the next.
    private func answers(to request: String, _ gateway: Gateway) async throws -> [String] {
        let server = try GatewayServer(gateway, .init(port: 0, loops: 1, logsRequests: false))
        let port = server.address.port
        let head = request.contains("\r\n\r\n") ? request : request + "\r\n\r\n"
        let text = head.replacing("HTTP/1.1", with: "HTTP/1.1\r\nHost: localhost", maxReplacements: 1)
        let replies = try await blocking {
            try (0..<4).map { _ in
                let client = try RawClient(port)
                try client.send(text)
                return try client.reply(toHead: request.hasPrefix("HEAD"))
            }
        }
        await server.stop()
        return replies.map(Self.text)
    }

    private static func text(_ reply: RawAnswer) -> String {
        let fields = reply.headers.map { name, value in
            let isOwn = name.lowercased() == "x-request-id" && value != "mine"
            let isTiming = name.lowercased() == "server-timing" || name.lowercased() == "date"
            return "\(name): \(isOwn || isTiming ? "…" : value)"
        }
        return "\(reply.status)\n\(fields.sorted().joined(separator: "\n"))\n\n\(reply.text)"
    }

    private static func gateway(_ form: AnswerForm, _ middleware: [any Middleware]) throws -> Gateway {
        let gateway = Gateway(
            middleware: middleware, answers: form,
            access: AccessPolicy(allowedOrigins: ["https://listed.example"]))
        try gateway.register(AtOnce.self, at: "/at-once")
        try gateway.register(Value.self, at: "/value")
        try gateway.register(Value.self, at: "/value/:id")
        try gateway.register(Slow.self, at: "/slow")
        try gateway.register(Stream.self, at: "/stream")
        try gateway.register(Small.self, at: "/small")
        try gateway.register(Bytes.self, at: "/bytes")
        return gateway
    }

    private struct Transparent: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response { await next(request) }
    }

    private struct Unknown: Error {}

    private struct AtOnce: SynchronousHandler {
        func handle(_ request: Request) throws -> Response {
            if request.query["fail"] != nil { throw HTTPError(.notFound, "there is none", code: 4711) }
            if request.query["trap"] != nil { throw Unknown() }
            var response = try Response(output: ["path": request.path])
            response.headers[.cacheControl] = "max-age=1"
            response.headers[.xContentTypeOptions] = "its own"
            response.headers.append(HTTPField(name: .serverTiming, value: "own;dur=1"))
            return response
        }
    }

    private struct Value: JSONHandler {
        struct Input: Decodable { var user: String }

        func handle(_ input: Input) async throws -> [String: String] { ["user": input.user] }
    }

    private struct Slow: JSONHandler {
        func handle(_ input: Nothing) async throws -> Int {
            try await Task.sleep(for: .milliseconds(5))
            return 1
        }
    }

    private struct Stream: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in
                for number in 1...3 { try await client.didLoad("\(number)\n") }
            }
        }
    }

    private struct Small: JSONHandler {
        static let options = HandlerOptions(body: .collected(upTo: 4))

        func handle(_ input: JSON) async throws -> JSON { input }
    }

    private struct Bytes: Handler {
        static let options = HandlerOptions(body: .streamed)

        func handle(_ request: Request) async throws -> Response {
            try Response(output: try await request.body.collect(upTo: 10).count)
        }
    }
}
