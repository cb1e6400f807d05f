import Drawbridge
import Testing

@Suite struct SecurityManual {
    private func status(_ gateway: Gateway, _ request: Request) async -> Int {
        await gateway.respond(to: request).status.code
    }

    @Test func onlyListedHostsAndOriginsMayCall() async {
        let gateway = Gateway(
            access: AccessPolicy(
                allowedHosts: ["kiosk.example"], allowedOrigins: ["https://app.example"]))
        #expect(await status(gateway, Request("/a?_mobile_bridge=1", authority: "evil.example")) == 403)
        #expect(await status(gateway, Request("/a?_mobile_bridge=1", headers: [.origin: "null"])) == 403)
        let listed = Request("/a?_mobile_bridge=1", headers: [.origin: "https://app.example"])
        #expect(await status(gateway, listed) == 200)
    }

    @Test func aTokenCanBeDemandedOfEveryCall() async {
        let gateway = Gateway(access: AccessPolicy(requiresToken: true))
        let token = gateway.access.token.text

        #expect(await status(gateway, Request("/a?_mobile_bridge=1")) == 403)
        let name = HTTPField.Name("X-Drawbridge-Token")!
        #expect(await status(gateway, Request("/a?_mobile_bridge=1", headers: [name: token])) == 200)
    }
}
