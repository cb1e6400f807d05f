import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import MicroHTTPD
import TestSupport
import Testing

/// What an upstream does with a request, of which it has read the head.
typealias Answering = @Sendable (_ connection: RawConnection, _ head: String) throws -> Void

/// How a gateway reaches a server: all ways lead through the same client.
enum Way: CaseIterable {
    case plain, encrypted, socket
}

/// Puts a gateway before a server that follows a script, and runs a test, once for each way to the server.
///
/// The next requests are served afterwards: another one for the server, and one for a handler.
func proxying(
    to script: @escaping Answering, by ways: [Way] = Way.allCases,
    _ options: Upstream.Options = Upstream.Options(), behind middleware: [any Middleware] = [],
    limits: Limits = Limits(),
    _ test: (_ port: Int, _ upstream: RawUpstream) async throws -> Void
) async throws {
    let answering: Answering = { connection, head in
        if head.hasPrefix("GET /next ") {
            try connection.send(ok("next"))
        } else {
            try script(connection, head)
        }
    }
    for way in ways {
        let folder = try Folder()
        let (upstream, url): (RawUpstream, String)
        switch way {
        case .plain:
            upstream = try RawUpstream(answering: answering)
            url = "http://127.0.0.1:\(upstream.port)"
        case .encrypted:
            upstream = try RawUpstream(as: try await TestIdentity.shared.value, answering: answering)
            url = "https://127.0.0.1:\(upstream.port)"
        case .socket:
            upstream = try RawUpstream(at: .unix("\(folder.path)/s"), answering: answering)
            url = "unix:\(folder.path)/s"
        }
        defer { upstream.stop() }
        var options = options
        options.isInsecure = true
        try await serving(.quiet([.upstream(url, options)], behind: middleware), limits: limits) { port in
            try await test(port, upstream)
            let next = try await replies(port, get("/next"))
            #expect(next.map(\.text) == ["next"], "\(way)")
        }
    }
}

/// What a server is called in errors.
func authority(of upstream: RawUpstream) -> String {
    upstream.port == 0 ? "localhost" : "127.0.0.1:\(upstream.port)"
}

/// The certificate of servers for https, made once.
enum TestIdentity {
    static let shared = Task {
        let certificates = try Certificates()
        kept.change { $0 = certificates }
        let files = try await certificates.make()
        return RawUpstream.Identity(certificate: files.certificate, key: files.key)
    }

    /// The files go with it.
    private static let kept = Observed<Certificates?>(nil)

}

/// Serves a gateway on a port of its own, runs a test, and sees that the next request is served.
func serving(
    _ gateway: Gateway, limits: Limits = Limits(), _ test: (_ port: Int) async throws -> Void
) async throws {
    try gateway.register(Alive.self, at: "/alive")
    let server = try GatewayServer(
        gateway, .init(port: 0, limits: limits, loops: 1, grace: .milliseconds(200), logsRequests: false))
    do {
        try await test(server.address.port)
        let next = try await replies(server.address.port, get("/alive?_mobile_bridge=1"))
        #expect(next.map(\.text) == [#"{"code":200,"data":true,"message":""}"#])
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Sends a request, and gives what is answered until the gateway closes.
///
/// - Throws: when a byte is left over, or is where none may be; when the gateway closes before the end.
func replies(_ port: Int, _ request: [UInt8]) async throws -> [RawAnswer] {
    try await blocking {
        let client = try RawClient(port, timeout: 30)
        try client.send(request)
        return try client.repliesToEnd()
    }
}

/// The only answer to a request that is the last of its connection.
func reply(_ port: Int, _ request: [UInt8]) async throws -> RawAnswer {
    let replies = try await replies(port, request)
    return try #require(replies.count == 1 ? replies[0] : nil, "\(replies)")
}

/// The answer to a HEAD request.
func replyToHead(_ port: Int, _ target: String, _ lines: String...) async throws -> RawAnswer {
    let request = message("HEAD \(target) HTTP/1.1", lines)
    let (reply, rest) = try await blocking {
        let client = try RawClient(port, timeout: 30)
        try client.send(request)
        return (try client.reply(toHead: true), try client.readToEnd())
    }
    #expect(String(decoding: rest, as: UTF8.self) == "")
    return reply
}

/// A request that is the last of its connection.
func get(_ target: String, _ lines: String...) -> [UInt8] { message("GET \(target) HTTP/1.1", lines) }

/// The same with another method, and with a body where there is one.
func request(_ method: String, _ target: String, _ lines: String..., body: String? = nil) -> [UInt8] {
    let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
    return message("\(method) \(target) HTTP/1.1", lines + length) + Array((body ?? "").utf8)
}

private func message(_ line: String, _ lines: [String]) -> [UInt8] {
    Array(
        ([line, "Host: localhost", "Connection: close"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
}

/// An answer of an upstream.
func ok(_ body: String, _ lines: String..., status: String = "200 OK") -> String {
    (["HTTP/1.1 \(status)"] + lines + ["Content-Length: \(body.utf8.count)", "", body])
        .joined(separator: "\r\n")
}

extension Gateway {
    /// One that keeps its log to itself, and leaves documents as they are.
    static func quiet(
        _ passThrough: [any Responder], behind middleware: [any Middleware] = [],
        pageRuntime: PageRuntime? = nil, logger: Logger? = nil
    ) -> Gateway {
        Gateway(
            // What a test sends of those before it is believed.
            passThrough: passThrough, middleware: middleware,
            access: AccessPolicy(trustedProxies: ["127.0.0.1"]),
            pageRuntime: pageRuntime,
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// Answers that all is well.
private struct Alive: JSONHandler {
    func handle(_ input: Nothing) async throws -> Bool { true }
}
