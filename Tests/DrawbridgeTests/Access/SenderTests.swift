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

    // MARK: How callers reach the gateway

    private func origin(
        _ host: String, _ fields: KeyValuePairs<String, String> = [:], public url: String? = nil,
        trusting: Set<String> = ["127.0.0.1"]
    ) -> String? {
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        var access = AccessPolicy(allowedHosts: ["shop.example"], trustedProxies: trusting)
        access.allow(url)
        var request = Request("/", authority: host, headers: headers, remoteAddress: "127.0.0.1")
        if let way = access.wayHere(of: request) { request.came(by: way) }
        #expect(access.wayHere(of: request) == nil, "it is read twice")
        return request.ownOrigin
    }

    @Test func withoutAProxyItIsAsTheRequestSays() {
        #expect(origin("shop.example") == "http://shop.example")
        #expect(origin("localhost:8080", public: "https://shop.example") == "http://localhost:8080")
        #expect(origin("shop.example:8080", public: "https://shop.example") == "http://shop.example:8080")
    }

    @Test(arguments: ["shop.example", "shop.example:8443", "SHOP.example."])
    func thePublicURLIsThatOfItsHost(host: String) {
        #expect(origin(host, public: "https://shop.example:8443") == "https://shop.example:8443")
    }

    @Test func thePublicURLIsThatOfEverybodyWhoComesThroughAProxyToTheInnerName() {
        for field in ["X-Forwarded-For", "Via"] {
            #expect(
                origin("127.0.0.1:8080", [field: "1.1 x"], public: "https://shop.example")
                    == "https://shop.example")
        }
    }

    @Test(
        arguments: [
            (["X-Forwarded-Proto": "https"], "https://shop.example"),
            (["X-Forwarded-Proto": "http, HTTPS"], "https://shop.example"),
            (["X-Forwarded-Proto": "wss"], "https://shop.example"),
            (["X-Forwarded-Proto": "http"], "http://shop.example"),
            (["X-Forwarded-Proto": "gopher"], "http://shop.example"),
            (["Forwarded": "for=192.0.2.7;proto=http, for=10.0.0.1;Proto=https"], "https://shop.example"),
            (
                ["X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example:8443"],
                "https://shop.example:8443"
            ),
            (["Forwarded": #"host="shop.example:8443";proto=https"#], "https://shop.example:8443"),
            (["X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"], "https://shop.example"),
            (["X-Forwarded-Host": "localhost"], "http://shop.example"),
        ] as [(KeyValuePairs<String, String>, String)])
    func aTrustedProxySaysHowItWasReached(fields: KeyValuePairs<String, String>, expected: String) {
        #expect(origin("shop.example", fields) == expected)
        // Anybody else may say what they like.
        #expect(origin("shop.example", fields, trusting: ["10.0.0.0/8"]) == "http://shop.example")
    }

    @Test func anInvalidRangeTrustsNobody() {
        #expect(
            !isFromHere([("X-Forwarded-For", "127.0.0.1")], from: "127.0.0.1", trusting: ["all", "::/x"]))
    }
}
