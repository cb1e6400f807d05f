import Drawbridge
import DrawbridgeServer
import TestSupport

/// A gateway in front of a dev server, which need not be there yet; its page asks native, and reports what that said.
final class DevSite: Sendable {
    let server: GatewayServer
    /// What was answered, by status.
    let answers = Observed<[Int]>([])

    init(upstream: String) throws {
        let gateway = Gateway(passThrough: [.upstream(upstream)], middleware: [Statuses(answers: answers)])
        try gateway.register(BridgeSite.Add.self, at: "/add")
        server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
    }

    var address: String { "\(server.address)" }

    /// The page's next report to its own server, as soon as it is there.
    static func report(to server: DevServer) async throws -> String {
        while true {
            let report = try await curl("\(server.address)/report")
            if !report.isEmpty { return report }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private struct Statuses: Middleware {
        let answers: Observed<[Int]>

        func handle(_ request: Request, next: Next) async throws -> Response {
            let response = await next(request)
            answers.change { $0.append(response.status.code) }
            return response
        }
    }
}
