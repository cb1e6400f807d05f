import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport

/// A site that has nothing to do with the gateway under test: it serves the attacks, redirects them, and takes the
/// report.
final class ForeignSite: Sendable {
    /// The pages, on the disk.
    static let pages = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pages").path()

    private let reported: Observed<JSON?>
    private let server: GatewayServer

    /// Serves on a free port.
    ///
    /// - Parameter onSignal: what happens when a page asks for `/signal`, and what it is told then.
    init(onSignal: @escaping @Sendable () async throws -> JSON = { .null }) throws {
        let reported = Observed<JSON?>(nil)
        self.reported = reported
        let gateway = Gateway(
            passThrough: [Extras(reported: reported, onSignal: onSignal), .staticFiles(Self.pages)],
            middleware: [Sandbox()], access: AccessPolicy(allowedHosts: [Browser.reboundName]),
            // Its pages are somebody else's, who gives them no runtime of ours.
            pageRuntime: nil)
        server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
    }

    var port: Int { server.address.port }

    /// The origin under a name of this machine.
    func origin(_ name: String = "127.0.0.1") -> String { "http://\(name):\(port)" }

    /// What the page could read, by way.
    func report() async throws -> [String: String] {
        try await reported.wait { $0 != nil }?.decode([String: String].self) ?? [:]
    }

    func stop() async { await server.stop() }

    /// What is not a file.
    private struct Extras: Responder {
        let reported: Observed<JSON?>
        let onSignal: @Sendable () async throws -> JSON

        func respond(to request: Request) async throws -> Response? {
            switch request.path {
            case "/redirect":
                return Response(
                    request.query["status"] == "307" ? .temporaryRedirect : .found,
                    headers: [
                        .location: request.query["to"] ?? "/", .accessControlAllowOrigin: "*",
                        .cacheControl: "no-store",
                    ])
            case "/report":
                let report = try JSON(parsing: try await request.body.collect(upTo: 1 << 20))
                reported.change { $0 = report }
                return Response(.noContent)
            case "/signal":
                var response = Response(bytes: try await onSignal().bytes, contentType: "application/json")
                response.headers[.accessControlAllowOrigin] = "*"
                return response
            default:
                return nil
            }
        }
    }

    /// Takes a page's origin away when its address says so (CSP, "sandbox").
    private struct Sandbox: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response {
            var response = await next(request)
            if request.query["sandbox"] != nil {
                response.headers[.contentSecurityPolicy] = "sandbox allow-scripts allow-forms allow-popups"
            }
            return response
        }
    }
}
