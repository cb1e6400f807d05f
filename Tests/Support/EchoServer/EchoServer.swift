import Dispatch
import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD

/// The engine by itself: every WebSocket gets back what it sends, every body comes back, and other requests get "ok".
///
/// `/bytes/N` is N times the letter b, with its length, and `/chunks/N` the same without.
/// A WebSocket of `/tunnel` goes through to a peer that is silent.
///
/// `echo-server [PORT [CERTIFICATE KEY]]` listens on this machine, on any free port if none is given, until SIGTERM.
@main
enum EchoServer {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let tls =
            arguments.count > 2
            ? try TLSIdentity(certificateFile: arguments[1], keyFile: arguments[2]) : nil
        let server = HTTPServer(port: arguments.first.flatMap { Int($0) } ?? 0, tls: tls) { await answer($0) }
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        onTermination { stop.yield() }
        try server.start()
        // Whoever waits for this line reads from a pipe.
        let line = Array("listening on \(tls == nil ? "http" : "https")://127.0.0.1:\(server.port)\n".utf8)
        _ = write(1, line, line.count)
        for await _ in stops { break }
        await server.stop()
    }

    private static func onTermination(_ call: @escaping @Sendable () -> Void) {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        // The handler keeps the source.
        source.setEventHandler { withExtendedLifetime(source) { call() } }
        source.resume()
    }

    private static func answer(_ exchange: Exchange) async {
        guard WebSocketHandshake.isAsked(by: exchange.head.headers) else {
            return await answerPlain(exchange)
        }
        if exchange.request.path == "/tunnel" { return tunnel(exchange) }
        do throws(Refusal) {
            exchange.upgrade(
                try WebSocketHandshake(exchange.head),
                events: WebSocketEvents(text: { $0.send(text: $1) }))
        } catch {
            exchange.send(
                HTTPResponse(status: error.status, headerFields: error.headers), Array(error.message.utf8))
        }
    }

    private static func answerPlain(_ exchange: Exchange) async {
        let parts = (exchange.request.path ?? "").split(separator: "/")
        guard parts.count == 2, let count = Int(parts[1]) else {
            return exchange.send(
                HTTPResponse(status: .ok), exchange.body.isEmpty ? Array("ok".utf8) : exchange.body)
        }
        let bytes = [UInt8](repeating: UInt8(ascii: "b"), count: count)
        guard parts[0] == "chunks" else { return exchange.send(HTTPResponse(status: .ok), bytes) }
        exchange.begin(HTTPResponse(status: .ok), length: nil)
        for start in stride(from: 0, to: count, by: 10_000) {
            // Whoever has left wants no more.
            do { try await exchange.write(Array(bytes[start..<min(start + 10_000, count)])) } catch { return }
        }
    }

    private static func tunnel(_ exchange: Exchange) {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        // The second stays open as long as the process.
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            return exchange.send(HTTPResponse(status: .serviceUnavailable), [])
        }
        exchange.tunnel([.upgrade: "websocket"], to: plainEnd(pair[0]))
    }
}
