import Drawbridge
import EngineSupport
import HTTPTypes
import MicroHTTPD

/// A page's own server: it shows what it is asked, whoever asks.
package final class MirrorServer: Sendable {
    private let server: HTTPServer
    private let scheme: String

    /// Serves from now on.
    ///
    /// - Parameter tls: for https.
    package init(_ tls: TLSIdentity? = nil) throws {
        scheme = tls == nil ? "http" : "https"
        server = HTTPServer(tls: tls) { await Self.answer($0) }
        try server.start()
    }

    /// Host and port.
    package var authority: String { "127.0.0.1:\(server.port)" }

    /// Its address as `--upstream` takes it.
    package var url: String { "\(scheme)://\(authority)" }

    /// Takes no more requests.
    package func stop() async { await server.stop(within: .zero) }

    /// Shows requests as JSON, sends some elsewhere, and keeps silent about one.
    private static func answer(_ exchange: Exchange) async {
        let head = exchange.head
        func send(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: [UInt8] = []) {
            exchange.send(HTTPResponse(status: status, headerFields: fields), body)
        }
        switch head.target.prefix(while: { $0 != "?" }) {
        case "/moved":
            send(
                .found,
                [
                    .location: "\(head.scheme)://\(head.authority ?? "")/there",
                    .setCookie: "a=1; Domain=127.0.0.1; Path=/; Secure",
                ])
        case "/page.html":
            send(.ok, [.contentType: "text/html"], Array("<title>theirs</title>".utf8))
        case "/silent":
            let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in nothing {}
            continuation.finish()
        default:
            let fields = head.headers.map { ($0.name.rawName, JSON.string($0.value)) }
            let shown: JSON = [
                "asked": .string("\(head.method) \(head.target)"),
                "host": head.authority.map(JSON.string) ?? .null, "fields": .object(.init(fields)),
            ]
            send(.ok, [.contentType: "application/json"], shown.bytes)
        }
    }
}
