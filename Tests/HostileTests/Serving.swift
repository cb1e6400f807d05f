import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import MicroHTTPD
import TestSupport
import Testing

/// Starts a gateway on a port of its own, runs a test of something hostile, and sees that the next request is served.
func serving(
    _ gateway: Gateway, limits: Limits = Limits(), loops: Int = 1,
    _ test: (_ port: Int) async throws -> Void
) async throws {
    try gateway.register(Alive.self, at: "/alive")
    let server = try GatewayServer(
        gateway, .init(port: 0, limits: limits, loops: loops, grace: .milliseconds(200), logsRequests: false))
    do {
        try await test(server.address.port)
        try await isAlive(server.address.port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// A new caller is answered as if nothing had been.
func isAlive(_ port: Int) async throws {
    let next = try await replies(port, get("/alive?_mobile_bridge=1"))
    #expect(next.map(\.text) == [#"{"code":200,"data":true,"message":""}"#])
}

/// The same of a program, by a handler that echoes.
func isAlive(_ port: Int, by path: String) async throws {
    let next = try await replies(port, get("\(path)?_mobile_bridge=1&a=b"))
    #expect(next.map(\.text) == [#"{"code":200,"data":{"a":"b"},"message":""}"#])
}

/// Sends a request, and gives what is answered until the server closes.
///
/// - Throws: when a byte is left over, or is where none may be.
func replies(_ port: Int, _ request: some Sequence<UInt8> & Sendable) async throws -> [RawAnswer] {
    let bytes = Array(request)
    return try await blocking {
        let client = try RawClient(port, timeout: 60)
        try client.send(bytes)
        return try client.repliesToEnd()
    }
}

/// A request that is the last of its connection.
func get(_ target: String, _ lines: String..., host: String = "localhost") -> String.UTF8View {
    let lines = (["GET \(target) HTTP/1.1", "Host: \(host)", "Connection: close"] + lines).map { $0 + "\r\n" }
    return (lines.joined() + "\r\n").utf8
}

/// The same with a body.
func post(_ target: String, _ body: some Sequence<UInt8>, _ lines: String...) -> [UInt8] {
    let body = Array(body)
    let own = [
        "POST \(target) HTTP/1.1", "Host: localhost", "Connection: close", "Content-Length: \(body.count)",
    ]
    return Array(((own + lines).map { $0 + "\r\n" }.joined() + "\r\n").utf8) + body
}

extension Gateway {
    /// One that keeps its log to itself.
    static func quiet(
        passThrough: [any Responder] = [], unhandled: Unhandled = .answer,
        access: AccessPolicy = AccessPolicy(), bodyLimit: Int = 8 << 20,
        keepsJournal: Bool = false
    ) -> Gateway {
        Gateway(
            passThrough: passThrough, unhandled: unhandled, access: access, bodyLimit: bodyLimit,
            keepsJournal: keepsJournal,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// Answers that all is well.
private struct Alive: JSONHandler {
    func handle(_ input: Nothing) async throws -> Bool { true }
}
