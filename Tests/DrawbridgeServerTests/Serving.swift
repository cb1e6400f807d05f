import Drawbridge
import DrawbridgeServer

/// Starts a gateway on a port of its own, runs a test, and stops it, also where the test throws.
func serving(
    _ gateway: Gateway, _ configuration: ServerConfiguration, _ test: (_ port: Int) async throws -> Void
) async throws {
    let server = try GatewayServer(gateway, configuration)
    do {
        try await test(server.address.port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
