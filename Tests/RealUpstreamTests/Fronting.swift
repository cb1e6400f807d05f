import Drawbridge
import DrawbridgeServer
import Logging
import TestSupport

/// Starts a gateway in front of a server, and runs a test of it.
///
/// - Parameters:
///   - pageRuntime: nil leaves documents as they are.
///   - loops: threads that serve.
func fronting(
    _ upstream: String, _ options: Upstream.Options = Upstream.Options(),
    pageRuntime: PageRuntime? = PageRuntime(), loops: Int = 2,
    _ test: (_ port: Int) async throws -> Void
) async throws {
    let gateway = Gateway(
        passThrough: [.upstream(upstream, options)], pageRuntime: pageRuntime,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let server = try GatewayServer(
        gateway, ServerConfiguration(port: 0, loops: loops, grace: .milliseconds(200), logsRequests: false))
    do {
        try await test(server.address.port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
