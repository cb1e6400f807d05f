import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// What the page runtime costs on the wire.
struct RuntimeSizeTests {
    @Test func theRuntimeAsItIsServedHasLessThanFifteenKilobytesCompressed() async throws {
        let gateway = Gateway(
            pageRuntime: PageRuntime(
                schemes: ["mizhua"], replyHandlers: ["echo"], functions: ["callNative"], shortcuts: ["MyApp"])
        )
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let script = "curl -sSf '\(server.address)/__drawbridge__/page.js?path=/' | gzip -9c | wc -c"
        let size = try await Program("sh", ["-c", script]).wholeOutput()
        await server.stop()
        let bytes = try #require(Int(size.split(separator: "\n").joined()), "\(size)")
        #expect((1_000...14_899).contains(bytes))
    }
}
