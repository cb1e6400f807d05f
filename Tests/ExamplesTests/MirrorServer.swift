import Drawbridge
import DrawbridgeServer
import HTTPTypes
import MicroHTTPD

/// A page's own server: it shows what it is asked.
final class MirrorServer: Sendable {
    private let server: GatewayServer

    /// Serves from now on.
    ///
    /// - Parameter tls: for https.
    init(_ tls: TLSIdentity? = nil) throws {
        server = try GatewayServer(
            Gateway(passThrough: [Mirror()], pageRuntime: nil), .init(port: 0, tls: tls, logsRequests: false))
    }

    /// Host and port.
    var authority: String { "127.0.0.1:\(server.address.port)" }

    /// Its address as `--upstream` takes it.
    var url: String { "\(server.address)" }

    /// Takes no more requests.
    func stop() async { await server.stop() }
}

/// Shows requests as JSON, sends some elsewhere, and keeps silent about one.
private struct Mirror: Responder {
    func respond(to request: Request) async throws -> Response? {
        switch request.path {
        case "/moved":
            return Response(
                .found,
                headers: [
                    .location: "\(request.scheme)://\(request.authority ?? "")/there",
                    .setCookie: "a=1; Domain=127.0.0.1; Path=/; Secure",
                ])
        case "/page.html":
            return Response(text: "<title>theirs</title>", contentType: "text/html")
        case "/silent":
            let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in nothing {}
            continuation.finish()
            return nil
        default:
            let fields = request.headers.map { ($0.name.rawName, JSON.string($0.value)) }
            let shown: JSON = [
                "asked": .string("\(request.method) \(request.target)"),
                "host": request.authority.map(JSON.string) ?? .null, "fields": .object(.init(fields)),
            ]
            return Response(bytes: shown.bytes, contentType: "application/json")
        }
    }
}
