import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

@testable import DrawbridgeMocks

/// Ways to places where no reply has any business.
///
/// Precedent: mitmweb, whose own interface was reached through its own proxy (CVE-2025-23217).
@Suite(
    "$forward reaches neither its own gateway nor those who are nobody's business",
    .timeLimit(.minutes(5)))
struct ForwardAbuseTests {
    private static let aliases = [
        "127.0.0.1", "127.0.0.2", "127.255.255.254", "localhost", "LOCALHOST.", "a.localhost", "[::1]",
        "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "0", "[::]",
        "[::ffff:0.0.0.0]",
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
        "127.0.0.1.",
        "%31%32%37.0.0.1", "%6c%6f%63%61%6c%68%6f%73%74", ProcessInfo.processInfo.hostName,
    ]

    /// What is said of a program that is asked though nothing answers there: every program is listed.
    private func refusal(of url: String) async throws -> String {
        // What is not a URL of a program is not a mock either.
        guard let target = ForwardTarget(url) else { return "no program" }
        let replies = OutsideReplies(origins: [target.origin])
        let error = await #expect(throws: HTTPError.self) {
            try await replies.ask(Array("{}".utf8), at: target, for: Request("/a"))
        }
        return error?.message ?? ""
    }

    /// Another listener of the same process is as near.
    @Test(arguments: aliases)
    func ourOwnListenersAreRefusedByEveryName(alias: String) async throws {
        let other = try GatewayServer(Gateway.quiet(), .init(port: 0, grace: .zero, logsRequests: false))
        try await serving(.quiet()) { port in
            for port in [port, other.address.port] {
                for path in ["/", "/__drawbridge__/health", "/__drawbridge__/pages"] {
                    let reason = try await refusal(of: "http://\(alias):\(port)\(path)")
                    // Nobody has a name with a percent sign, so nothing is connected to.
                    let isRefused =
                        alias.contains("%")
                        ? reason == "no program" || reason.contains("there is no host")
                        : reason.contains("is this gateway itself")
                            || reason.contains("is no address of a host")
                    #expect(isRefused, "\(path): \(reason)")
                }
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
        let reason = try await refusal(of: "http://\(host)/latest/meta-data/")
        #expect(reason.contains(", which $forward may not call; name another program"), "\(reason)")
    }

    /// The name says nothing: each connection is asked where it leads.
    @Test func aNameWithAForbiddenAddressLeadsOnlyToItsAllowedOne() async throws {
        let site = try PlainSite(answering: PlainSite.answer("\"theirs\""))
        let folder = try Folder()
        let names = try folder.write(
            "hosts",
            """
            169.254.169.254 both.test
            127.0.0.1 both.test
            169.254.169.254 metadata.test

            """)
        let origins = ["both": "http://both.test:\(site.port)", "metadata": "http://metadata.test"]
        let program = try Program.product(
            "test-server",
            ["-p", "0"]
                + origins.flatMap {
                    ["--reply", "\($0)={\"$forward\": \"\($1)/\"}", "--forward-to", $1]
                },
            environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": names])
        let port = try await program.port()
        // The second time by the connection that is there.
        for _ in 1...2 {
            let answers = try await replies(port, get("/both?_mobile_bridge=1"))
            #expect(answers.map(\.text) == [#"{"code":200,"data":"theirs","message":""}"#])
        }
        let refused = try await replies(port, get("/metadata?_mobile_bridge=1"))
        #expect(refused.map { $0.text.contains("a cloud's metadata service") } == [true])
        #expect(await program.stop() == 0)
    }

    /// The port is known only when the gateway runs, so this name is of a gateway whose port was chosen before.
    @Test func aNameThatLeadsBackToTheGatewayIsRefused() async throws {
        let port = try PlainSite(answering: "").port
        let folder = try Folder()
        let names = try folder.write("hosts", "127.0.0.1 rebound.test\n")
        let url = "http://rebound.test:\(port)"
        let program = try Program.product(
            "test-server",
            ["-p", "\(port)", "--reply", "round={\"$forward\": \"\(url)/\"}", "--forward-to", url],
            environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": names])
        _ = try await program.port()
        let answers = try await replies(port, get("/round?_mobile_bridge=1"))
        #expect(answers.map { $0.text.contains("is this gateway itself") } == [true])
        #expect(await program.stop() == 0)
    }

    // MARK: What comes round

    /// The first fronts the second; what the second sends to the first has come round, and what comes to it has not.
    @Test func twoGatewaysOfOneProgramAreToldApart() async throws {
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

    @Test func aForwardingLoopIsDetected() async throws {
        let site = try PlainSite { request, send in
            let via = request.firstMatch(of: /\r\nVia: ([^\r]+)\r\n/).map { String($0.1) } ?? ""
            send(PlainSite.answer(via))
        }
        let upstream = try Upstream("http://127.0.0.1:\(site.port)")
        // What a server between the two says of its caller is believed.
        let gateway = Gateway.quiet(
            passThrough: [upstream], access: AccessPolicy(trustedProxies: ["127.0.0.1"]))
        try await serving(gateway) { port in
            let via = try await replies(port, get("/"))[0].text
            let again = try await replies(
                port, get("/", "Via: 1.0 first, \(via) (a comment)", "X-Forwarded-For: 127.0.0.1"))
            #expect(again.map(\.status) == [508])
        }
    }
}
