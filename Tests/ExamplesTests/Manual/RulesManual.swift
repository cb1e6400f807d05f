import Drawbridge
import Testing

struct PrefixRule: InterceptionRule {
    let prefix: String

    func canonicalRequest(for request: Request) -> Request? {
        guard request.path.hasPrefix(prefix + "/") else { return nil }
        var plain = request
        plain.path.removeFirst(prefix.count)
        return plain
    }
}

extension InterceptionRule where Self == PrefixRule {
    static func prefix(_ prefix: String) -> Self { PrefixRule(prefix: prefix) }
}

@Suite struct RulesManual {
    private struct OrderHandler: JSONHandler {
        struct Input: Codable { var id: Int }

        func handle(_ input: Input) async throws -> Input { input }
    }

    private func path(_ target: String, _ gateway: Gateway) async throws -> String {
        try gateway.register(OrderHandler.self, at: "/order/:id")
        let response = await gateway.respond(to: Request(target))
        let json = try JSON(parsing: await response.body.collect())
        return json["data"]?["id"]?.description ?? "\(response.status.code)"
    }

    @Test func aFlagCanHaveAnotherName() async throws {
        let gateway = Gateway(rules: [.jsBridge, .flag("native", "yes")])
        #expect(try await path("/order/7?native=yes", gateway) == "7")
        #expect(try await path("/order/7?_mobile_bridge=1", gateway) == "404")
    }

    @Test func aCustomRuleTakesRequests() async throws {
        let gateway = Gateway(rules: [.prefix("/native"), .jsBridge, .flag()])
        #expect(try await path("/native/order/7", gateway) == "7")
        #expect(try await path("/native/order/7?_mobile_bridge=1", gateway) == "7")
        #expect(try await path("/order/7", gateway) == "404")
    }
}
