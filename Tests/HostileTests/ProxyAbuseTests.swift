import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Ways to places where nobody has any business by way of the forward proxy.
///
/// Precedent: mitmweb, whose own interface was reached through its own proxy (CVE-2025-23217).
@Suite(
    "The forward proxy reaches neither its own gateway nor those who are nobody's business",
    .timeLimit(.minutes(5)))
struct ProxyAbuseTests {
    private static let aliases = [
        "127.0.0.1", "127.0.0.2", "127.255.255.254", "localhost", "LOCALHOST.", "a.localhost", "[::1]",
        "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "0", "[::]",
        "[::ffff:0.0.0.0]",
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
        "127.0.0.1.",
        "%31%32%37.0.0.1", "%6c%6f%63%61%6c%68%6f%73%74", ProcessInfo.processInfo.hostName,
    ]

    /// Another listener of the same process is as near.
    @Test(arguments: aliases)
    func ourOwnListenersAreRefusedByEveryName(alias: String) async throws {
        let other = try GatewayServer(Gateway.quiet(), .init(port: 0, grace: .zero, logsRequests: false))
        // Nobody has a name with a percent sign, so nothing is connected to.
        let refusal = alias.contains("%") ? 502 : 403
        try await serving(.quiet(passThrough: [.proxy()])) { port in
            for port in [(port, port), (port, other.address.port)] {
                for path in ["/", "/__drawbridge__/health", "/__drawbridge__/pages"] {
                    let answer = try await replies(port.0, get("http://\(alias):\(port.1)\(path)"))
                    let isRefused = answer.map(\.status) == [refusal]
                    #expect(isRefused, "\(path): \(answer.map(\.status)) \(answer.map(\.text))")
                }
                let upgrade = get(
                    "http://\(alias):\(port.1)/__drawbridge__/other", "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
                let text = String(decoding: Array(upgrade), as: UTF8.self)
                    .replacing("Connection: close", with: "Connection: Upgrade")
                let status = try await blocking {
                    let client = try RawClient(port.0)
                    try client.send(text)
                    return try client.reply().status
                }
                #expect(status == refusal)
            }
        }
        await other.stop()
    }

    @Test(arguments: [
        "169.254.169.254", "[::ffff:169.254.169.254]", "2852039166", "0xa9fea9fe", "169.254.1.1", "[fe80::1]",
        "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]",
        "224.0.0.1", "[ff02::1]", "255.255.255.255",
    ])
    func linkLocalAndMetadataAddressesAreRefused(host: String) async throws {
        try await serving(.quiet(passThrough: [.proxy()])) { port in
            let answer = try await replies(port, get("http://\(host)/latest/meta-data/"))
            #expect(answer.map(\.status) == [403])
            #expect(answer.map { $0.text.contains("to which the proxy does not connect") } == [true])
        }
    }

    /// The name says nothing: each connection is asked where it leads.
    @Test func aNameWithAGoodAndABadAddressLeadsToTheGoodOneOnly() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        let folder = try Folder()
        let hosts = try folder.write(
            "hosts",
            """
            169.254.169.254 both.test
            127.0.0.1 both.test
            127.0.0.1 rebound.test
            169.254.169.254 metadata.test

            """)
        let program = try Program.product(
            "test-server", ["-p", "0", "--proxy"],
            environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": hosts])
        let port = try await program.port()
        // The second time by the connection that is there.
        for _ in 1...2 {
            #expect(try await replies(port, get("http://both.test:\(site.port)/")).map(\.text) == ["theirs"])
        }
        for url in ["both.test:\(port)", "rebound.test:\(port)", "metadata.test"] {
            #expect(try await replies(port, get("http://\(url)/")).map(\.status) == [403], "\(url)")
        }
        #expect(await program.stop() == 0)
    }

    // MARK: Callers

    private static func request(_ authority: String, from address: String?) -> Request {
        var request = Request("/", authority: authority, remoteAddress: address)
        request.isAbsoluteForm = true
        return request
    }

    @Test func othersThanThisMachineAreRefusedUnlessTheyAreListed() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        let gateway = Gateway.quiet(passThrough: [.proxy()])
        for address in ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7", "fe80::1%eth0", "no address"] {
            let answer = await gateway.respond(to: Self.request("127.0.0.1:\(site.port)", from: address))
            #expect(answer.status == .forbidden)
            let text = String(decoding: try await answer.body.collect(), as: UTF8.self)
            #expect(text.contains("allow it with --proxy-client"))
        }
        #expect(site.requests.value == [])
    }

    /// Also not by a connection that a caller of this machine has left open.
    @Test func aListedCallerFromElsewhereDoesNotReachWhatIsForThisMachine() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        let gateway = Gateway.quiet(passThrough: [.proxy(clients: ["192.0.2.0/24"])])
        for _ in 1...3 {
            for (address, status) in [
                ("127.0.0.1", 200), ("192.0.2.7", 403), ("::1", 200), ("192.0.3.7", 403),
            ] {
                let answer = await gateway.respond(to: Self.request("127.0.0.1:\(site.port)", from: address))
                #expect(answer.status.code == status, "\(address)")
                _ = try await answer.body.collect()
            }
        }
        #expect(site.requests.value.count == 6)
    }

    @Test func aProxyWhoseListIsWrongIsNobodys() async throws {
        let gateway = Gateway.quiet(passThrough: [.proxy(clients: ["everybody"])])
        let answer = await gateway.respond(to: Self.request("127.0.0.1:1", from: "127.0.0.1"))
        #expect(answer.status == .forbidden)
    }

    /// The first fronts the second; what the second sends to the first has come round, and what comes to it has not.
    @Test func twoGatewaysOfOneProgramTakeNothingOfEachOthersForTheirOwn() async throws {
        let behind = Gateway.quiet(access: AccessPolicy(trustedProxies: ["127.0.0.1"]))
        try behind.register(at: "/who") { Second() }
        try await serving(behind) { port in
            let upstream = try Upstream("http://127.0.0.1:\(port)")
            let first = Gateway.quiet(passThrough: [upstream], unhandled: .passThrough)
            try await serving(first) { port in
                let answers = try await replies(port, get("/who?_mobile_bridge=1"))
                #expect(answers.map(\.status) == [200])
                #expect(answers.first?.text.contains("the second") == true)
                let round = "Via: \(first.via.field(isOldVersion: false).value)"
                let again = try await replies(port, get("/who?_mobile_bridge=1", round))
                #expect(again.map(\.status) == [508])
            }
        }
    }

    private struct Second: JSONHandler {
        func handle(_ input: Nothing) async throws -> String { "the second" }
    }

    @Test func whatGoesRoundIsSeen() async throws {
        let site = try PlainSite { request, send in
            let via = request.firstMatch(of: /\r\nVia: ([^\r]+)\r\n/).map { String($0.1) } ?? ""
            send(PlainSite.answer(via))
        }
        try await serving(.quiet(passThrough: [.proxy()])) { port in
            let url = "http://127.0.0.1:\(site.port)/"
            let via = try await replies(port, get(url))[0].text
            let again = try await replies(port, get(url, "Via: 1.0 first, \(via) (a comment)"))
            #expect(again.map(\.status) == [508])
        }
    }
}
