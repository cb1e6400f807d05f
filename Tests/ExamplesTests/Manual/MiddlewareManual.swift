import Drawbridge
import Testing

@testable import middleware

struct Maintenance: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
        guard request.path.hasPrefix("/shop/") else { return await next(request) }
        throw HTTPError(.serviceUnavailable, "the shop opens at nine", headers: [.retryAfter: "3600"])
    }
}

struct Capitals: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
        var response = await next(request)
        response.body = response.body.map { chunk in
            chunk.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        }
        return response
    }
}

@Suite struct MiddlewareManual {
    @Test func middlewareWrapsEveryAnswer() async throws {
        let gateway = Gateway(middleware: [Timing(), Maintenance(), Capitals()])
        try gateway.register(VersionHandler.self, at: "/version")
        let version = await gateway.respond(to: Request("/version?_mobile_bridge=1"))
        #expect(version.headers[values: .serverTiming].last?.hasPrefix("gateway;dur=") == true)

        let closed = await gateway.respond(to: Request("/shop/cart?_mobile_bridge=1"))
        #expect(closed.status == .serviceUnavailable)
        #expect(closed.headers[.serverTiming] != nil)
        let health = await gateway.respond(to: Request("/__drawbridge__/health"))
        #expect(String(decoding: try await health.body.collect(), as: UTF8.self).contains(#""STATUS":"OK""#))
    }
}
