import HTTPTypes
import Testing

@testable import Drawbridge

/// Whose request it is: that of the peer, or of somebody behind it.
@Suite("Who sent a request") struct SenderTests {
    private func isFromHere(
        _ fields: [(String, String)], from address: String?, trusting trusted: Set<String> = []
    ) -> Bool {
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        return AccessPolicy(trustedProxies: trusted)
            .isFromThisMachine(Request("/", headers: headers, remoteAddress: address))
    }

    @Test(
        arguments: [
            (nil, true), ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("192.168.1.2", false), ("::ffff:192.168.1.2", false), ("fe80::1%eth0", false),
            ("10.0.0.1", false),
            ("nonsense", false), ("", false),
        ] as [(String?, Bool)])
    func callersOnThisMachineAreRecognizedByTheirAddress(address: String?, isFromHere: Bool) {
        #expect(self.isFromHere([], from: address) == isFromHere)
    }

    /// A web server on this machine is loopback, and whoever asks it is not.
    @Test(arguments: [
        ("Forwarded", "for=127.0.0.1"), ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "localhost"), ("x-forwarded-anything", ""), ("X-Real-IP", "127.0.0.1"),
        ("Via", "1.1 nginx"), ("Via", "1.1 \(Via("other").field(isOldVersion: false).value)"),
    ])
    func aLocalRequestWithProxyFieldsIsNotFromThisMachine(name: String, value: String) {
        for address in [nil, "127.0.0.1", "::1"] {
            #expect(!isFromHere([(name, value)], from: address))
        }
        // Only for a proxy that is listed does it say who.
        #expect(!isFromHere([(name, value)], from: "127.0.0.1", trusting: ["10.0.0.0/8"]))
    }

    @Test func aLocalRequestWithTheGatewaysOwnViaStaysLocal() {
        let gateway = Gateway()
        let own = Request(
            "/", headers: HTTPFields([gateway.via.field(isOldVersion: false)]), remoteAddress: "127.0.0.1")
        #expect(gateway.access.isFromThisMachine(own))
        #expect(!Gateway().access.isFromThisMachine(own))
    }

    /// Each proxy adds at the end who called it; what is before the first stranger that stranger may have made up.
    @Test(
        arguments: [
            ([("X-Forwarded-For", "127.0.0.1")], true), ([("X-Forwarded-For", "192.0.2.7")], false),
            ([("X-Forwarded-For", "127.0.0.1, 192.0.2.7")], false),
            ([("X-Forwarded-For", "127.0.0.1, 10.1.2.3")], true),
            ([("X-Forwarded-For", "127.0.0.1, 192.0.2.7, 10.1.2.3")], false),
            ([("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", "192.0.2.7")], false),
            ([("X-Forwarded-For", "unknown")], false), ([("X-Forwarded-For", "")], false),
            ([("X-Forwarded-Proto", "https")], false), ([("Via", "1.1 nginx")], false),
            ([("X-Real-IP", "127.0.0.1")], true), ([("X-Real-IP", "192.0.2.7")], false),
            ([("X-Real-IP", "127.0.0.1"), ("X-Forwarded-For", "192.0.2.7")], false),
            ([("Forwarded", "for=127.0.0.1;proto=http")], true),
            ([("Forwarded", #"proto=http;For="[::1]:4711""#)], true),
            ([("Forwarded", "for=127.0.0.1, for=192.0.2.7")], false), ([("Forwarded", "for=_hidden")], false),
            ([("Forwarded", "proto=https")], false),
        ] as [([(String, String)], Bool)])
    func theFieldsOfATrustedProxyNameTheCaller(fields: [(String, String)], isFromHere: Bool) {
        #expect(
            self.isFromHere(fields, from: "127.0.0.1", trusting: ["127.0.0.1", "10.0.0.0/8"]) == isFromHere)
    }

    @Test func anInvalidRangeTrustsNobody() {
        #expect(
            !isFromHere([("X-Forwarded-For", "127.0.0.1")], from: "127.0.0.1", trusting: ["all", "::/x"]))
    }
}
