import Drawbridge
import DrawbridgeServer
import Foundation
import FoundationNetworking
import Testing

@testable import hello

struct WaitingHandler: Handler {
    let started: AsyncStream<Void>.Continuation
    let stopped: AsyncStream<Void>.Continuation

    func startLoading(_ request: Request) async throws -> Response {
        started.finish()
        try await Task.sleep(for: .seconds(30))
        return Response(text: "too late")
    }

    func stopLoading() { stopped.finish() }
}

@Suite(.timeLimit(.minutes(5))) struct TestingManual {
    @Test func aPostWithABody() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")

        let request = Request(.post, "/__jsbridge__/hello", body: .init(#"{"name":"Ann"}"#))
        let response = await gateway.respond(to: request)
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/json")
        #expect(
            try await response.body.collect()
                == Array(#"{"code":200,"data":{"greeting":"Hello, Ann!"},"message":""}"#.utf8))
    }

    @Test func aCallerWhoLeavesIsNoticed() async throws {
        let (start, started) = AsyncStream.makeStream(of: Void.self)
        let (stop, stopped) = AsyncStream.makeStream(of: Void.self)
        let gateway = Gateway()
        try gateway.register(at: "/wait") { WaitingHandler(started: started, stopped: stopped) }

        let call = Task { await gateway.respond(to: Request("/wait?_mobile_bridge=1")) }
        for await _ in start {}
        call.cancel()
        // Goes on when stopLoading was called.
        for await _ in stop {}
    }

    @Test func aRealSocket() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")

        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let url = try #require(URL(string: "\(server.address)/hello?_mobile_bridge=1&name=Ann"))
        let (data, _) = try await URLSession.shared.data(from: url)
        #expect(try JSON(parsing: Array(data))["data"]?["greeting"] == "Hello, Ann!")
        await server.stop()
    }
}
