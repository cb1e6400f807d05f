import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import Synchronization
import TestSupport

/// A server on which every path is a tunnel to an upstream that the test holds; that of `/` is a TCP connection.
struct TunnelServer {
    /// The port of its callers.
    let port: Int
    /// The port of its upstreams; the tunnels' ends are counted by it.
    var upstreamPort: Int { upstreams.port }
    /// What callers offer for TLS; nil for plain HTTP.
    let security: String?
    fileprivate let upstreams: Upstreams
    /// The server's sockets before anybody came.
    fileprivate let listeningSockets: Int

    /// A caller whose tunnel is open, and the upstream of that.
    ///
    /// - Parameter extra: what the caller sends together with its request.
    func open(_ path: String = "/", extra: [UInt8] = []) async throws -> (
        caller: RawClient, upstream: RawClient
    ) {
        let (port, security) = (port, security)
        let caller = try await blocking {
            try WebSocketClient.open(port, path, security: security, extra: extra).raw
        }
        guard let upstream = upstreams.takeLast() else { throw RawClient.Failure.malformed("no upstream") }
        return (caller, upstream)
    }

    /// True when of all tunnels nothing is open any more, once that is so.
    func isEmpty() async -> Bool {
        await eventually { sockets(on: port) == listeningSockets && sockets(on: upstreamPort) == 1 }
    }
}

/// Makes connections and keeps one end of each for the test.
///
/// What it keeps is behind a lock: that makes it Sendable.
final class Upstreams: Sendable {
    let port: Int
    private let listening: Int32
    private let held = Mutex<[RawClient]>([])

    init() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, $0, &length) == 0
            }
        }
        guard isListening else { throw RawClient.Failure.system("listen", errno) }
        listening = socket
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(listening) }

    /// A new connection's end for a tunnel; the other is the test's.
    func connect() throws -> any TunnelEnd {
        try held.withLock { held in
            held.append(try RawClient(port))
            let descriptor = accept(listening, nil, nil)
            guard descriptor >= 0 else { throw RawClient.Failure.system("accept", errno) }
            return plainEnd(descriptor)
        }
    }

    func takeLast() -> RawClient? { held.withLock { $0.popLast() } }
}

/// The fields of an upstream's 101.
let switching: HTTPFields = [
    .upgrade: "websocket", .connection: "keep-alive, Upgrade", .secWebSocketAccept: WebSocketClient.accept,
    .secWebSocketProtocol: "chat", .server: "upstream/1.0", .contentLength: "0",
]

/// Starts a server on which every path is a tunnel, runs the test, and stops it.
///
/// - Parameters:
///   - first: what the upstream has sent behind its head.
///   - security: what callers offer for TLS; nil for plain HTTP.
func withTunnels<Value>(
    _ security: String?, first: [UInt8] = [], silentSeconds: Int = 60,
    grace: Duration = .seconds(2),
    test: (TunnelServer) async throws -> Value
) async throws -> Value {
    var identity: TLSIdentity?
    if security != nil {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
        // Its files are read by now, and go with it.
        withExtendedLifetime(certificates) {}
    }
    let upstreams = try Upstreams()
    return try await withServer(tls: identity, loops: 1, grace: grace) { exchange in
        do {
            let end = try upstreams.connect()
            if exchange.request.path == "/answered" { ok(exchange) }
            exchange.tunnel(switching, to: end, first: first, silentSeconds: silentSeconds)
        } catch {
            ok(exchange, "\(error)")
        }
    } test: {
        try await test(
            TunnelServer(
                port: $0.port, security: security, upstreams: upstreams,
                listeningSockets: sockets(on: $0.port)))
    }
}
