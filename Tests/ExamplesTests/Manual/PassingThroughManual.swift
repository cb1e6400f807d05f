import DrawbridgeServer
import ProgramSupport
import Testing

/// Shows a page of the upstream's, with another name in it.
struct PriceListHandler: Handler {
    func handle(_ request: Request) async throws -> Response {
        var request = request
        request.method = .get
        request.path = "/page.html"
        request.query["lang"] = "de"
        // What is to be changed must not come compressed.
        request.headers[.acceptEncoding] = "identity"
        var response = try await request.passThrough()
        let page = String(decoding: try await response.body.collect(), as: UTF8.self)
        response.body = .bytes(Array(page.replacing("theirs", with: "ours").utf8))
        response.headers[.eTag] = nil
        return response
    }
}

/// Asks a server of its own, whatever lies behind the gateway.
struct StockHandler: JSONHandler {
    let shop: Upstream

    func handle(_ input: Nothing) async throws -> JSON {
        guard let answer = try await shop.respond(to: Request("/stock.json")), answer.status == .ok else {
            throw HTTPError(.badGateway, "the shop does not tell its stock")
        }
        return try JSON(parsing: await answer.body.collect())
    }
}

@Suite(.timeLimit(.minutes(5))) struct PassingThroughManual {
    @Test func upstreamsAreAskedInTheirOrder() async throws {
        var options = Upstream.Options()
        options.keepsHost = true
        options.answerTimeout = .seconds(5)
        let gateway = Gateway(
            passThrough: [
                .staticFiles("examples/shop"), .upstream("/api=https://api.example/v2", options),
                .upstream("http://127.0.0.1:5173"),
            ])
        // The files come first, so that nobody else is asked for it.
        let page = await gateway.respond(to: Request("/"))
        #expect(page.status == .ok && page.headers[.via] == nil)
    }

    @Test func anInvalidUpstreamURLIsAnErrorAtTheStart() {
        #expect(throws: (any Error).self) {
            let upstream = try Upstream("127.0.0.1:5173")
            _ = Gateway(passThrough: [upstream])
        }
    }

    @Test func aHandlerChangesTheRequestAndTheResponse() async throws {
        let mirror = try MirrorServer()
        let gateway = Gateway(passThrough: [.upstream(mirror.url)])
        try gateway.register(PriceListHandler.self, at: "/prices")
        let response = await gateway.respond(to: Request("/prices?_mobile_bridge=1"))
        let page = String(decoding: try await response.body.collect(), as: UTF8.self)
        #expect(page.hasSuffix("<title>ours</title>"))
        await mirror.stop()
    }

    @Test func aHandlerAsksAServerItself() async throws {
        let mirror = try MirrorServer()
        let gateway = Gateway()
        let shop = try Upstream(mirror.url)
        try gateway.register(at: "/stock") { StockHandler(shop: shop) }
        let response = await gateway.respond(to: Request("/stock?_mobile_bridge=1"))
        let json = try JSON(parsing: await response.body.collect())
        #expect(json["data"]?["asked"] == "GET /stock.json")
        await mirror.stop()
    }
}
