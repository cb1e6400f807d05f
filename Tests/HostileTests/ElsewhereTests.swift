import Drawbridge
import DrawbridgeServer
import Foundation
import Logging
import TestSupport
import Testing

@testable import DrawbridgeServer

/// Real callers from another machine, as far as the network can tell: they come out of a network namespace.
@Suite(
    "Another machine", .serialized, .timeLimit(.minutes(5)),
    .enabled("only the superuser makes network namespaces, with iproute2", Elsewhere.canBeMade))
struct ElsewhereTests {
    /// A gateway as a program has it that thinks of nothing: open to the network, with no word of access.
    private static func serving(
        _ test: (_ gateway: Gateway, _ elsewhere: Elsewhere, _ port: Int) async throws -> Void
    ) async throws {
        let folder = try Folder()
        try folder.write("index.html", "<!doctype html><title>The Shop</title>")
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let gateway = Gateway(passThrough: [.staticFiles(folder.path)], logger: logger)
        try gateway.register(at: "/SecretName") { _ in Told() }
        let elsewhere = try await Elsewhere()
        let server = try GatewayServer(
            gateway, .init(host: "0.0.0.0", port: 0, loops: 1, logsRequests: false))
        do {
            try await test(gateway, elsewhere, server.address.port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private struct Told: JSONHandler {
        func handle(_ input: Nothing) async throws -> String { "what only pages are told" }
    }

    private static let paths =
        [
            "enter/x", "page.js", "global.js?name=a", "bridge/a.js", "token", "call", "messages", "channel",
            "pages", "admissions", "other", "",
        ].map { "/__drawbridge__/\($0)" } + [
            "/", "/index.html", "/none", "/SecretName?_mobile_bridge=1", "/__jsbridge__/SecretName",
            "/__jsbridge__?action=SecretName",
        ]

    private static func hosts(_ elsewhere: Elsewhere, _ port: Int) -> [String] {
        [
            "\(elsewhere.here):\(port)", elsewhere.here, "localhost", "LocalHost:\(port)", "a.localhost",
            "127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "__jsbridge__", "0.0.0.0", "localhost.",
            elsewhere.there, "evil.example",
        ]
    }

    @Test func strangersLearnNothingByAnyPathOrSpellingOfTheHost() async throws {
        try await Self.serving { gateway, elsewhere, port in
            // Five hundred programs would take their time: one curl asks for all of a host's.
            for host in Self.hosts(elsewhere, port) {
                for more in [
                    [], ["-X", "POST", "-d", "{}"],
                    ["-H", "Upgrade: websocket", "-H", "Connection: Upgrade"],
                ]
                    as [[String]]
                {
                    let output = try await Self.ask(Self.paths, host, more, elsewhere, port)
                    let statuses = output.matches(of: /(?m)^HTTP\/1.1 (\d+)/).map { String($0.output.1) }
                    #expect(statuses == Self.paths.map { _ in "403" }, "\(host) \(more)")
                    for secret in [
                        gateway.access.token.text, gateway.testerToken.text, "SecretName", "The Shop",
                        "what only pages are told", "rawbridge", "Set-Cookie", "0.2.0",
                    ] {
                        #expect(!output.contains(secret), "\(secret) for \(host) \(more)")
                    }
                }
            }
        }
    }

    private static func ask(
        _ paths: [String], _ host: String, _ more: [String], _ elsewhere: Elsewhere, _ port: Int
    ) async throws -> String {
        let urls = paths.map { "http://\(elsewhere.here):\(port)\($0)" }
        let fields = ["-H", "Host: \(host)", "-H", "X-Drawbridge-Page: \(String(repeating: "0", count: 32))"]
        return try await elsewhere.program(
            "curl", ["-sS", "-i", "--max-time", "20", "-g"] + fields + more + urls
        )
        .wholeOutput()
    }

    @Test func onlyTheRightHostReachesTheEntryAndHealth() async throws {
        try await Self.serving { gateway, elsewhere, port in
            let own = "http://\(elsewhere.here):\(port)/__drawbridge__"
            #expect(try await elsewhere.curl("\(own)/enter").hasPrefix("HTTP/1.1 200"))
            let health = try await elsewhere.curl("\(own)/health")
            #expect(
                health.hasPrefix("HTTP/1.1 200") && health.hasSuffix(#""data":{"status":"ok"},"message":""}"#)
            )
            for host in Self.hosts(elsewhere, port).dropFirst(2) {
                for path in ["enter", "health"] {
                    let answer = try await elsewhere.curl("-g", "-H", "Host: \(host)", "\(own)/\(path)")
                    #expect(answer.hasPrefix("HTTP/1.1 403"), "\(host)")
                }
            }
        }
    }

    @Test func aTicketLetsAPageLoadAndTheTokenLetsItCall() async throws {
        try await Self.serving { gateway, elsewhere, port in
            let own = "http://\(elsewhere.here):\(port)"
            let entered = try await elsewhere.curl(
                "-d", gateway.admissions.drawTicket(), "\(own)/__drawbridge__/enter")
            #expect(entered.hasPrefix("HTTP/1.1 204"))
            let cookie = try #require(entered.firstMatch(of: /Set-Cookie: (drawbridge-\d+=[0-9a-f]{54});/))
                .output.1
            #expect(cookie.hasPrefix("drawbridge-\(port)="))
            let page = try await elsewhere.curl(
                "-H", "Cookie: \(cookie)", "-H", "Accept: text/html", "\(own)/")
            #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("The Shop"))
            let token = "X-Drawbridge-Token: \(gateway.access.token.text)"
            #expect(page.contains(gateway.access.token.text))
            let call = "\(own)/SecretName?_mobile_bridge=1"
            #expect(try await elsewhere.curl("-H", "Cookie: \(cookie)", call).hasPrefix("HTTP/1.1 403"))
            #expect(try await elsewhere.curl("-H", token, call).hasPrefix("HTTP/1.1 403"))
            let answer = try await elsewhere.curl("-H", "Cookie: \(cookie)", "-H", token, call)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("what only pages are told"))
            // A page that has sent a message before says so, and its requests are a page's like others.
            let later = try await elsewhere.curl(
                "-H", "Cookie: \(cookie)", "-H", token, "-H", "X-Drawbridge-After: 1.0", call)
            #expect(later.hasPrefix("HTTP/1.1 200") && later.contains("what only pages are told"))
            let device = try #require(gateway.admissions.all.first)
            #expect(device.address == elsewhere.there && device.browser.hasPrefix("curl/"))
            #expect(gateway.admissions.revoke(device.id))
            let after = try await elsewhere.curl("-H", "Cookie: \(cookie)", "-H", token, call)
            #expect(after.hasPrefix("HTTP/1.1 403"))
        }
    }

    /// This machine is asked for nothing, whatever the gateway listens on.
    @Test func thisMachineNeedsNeitherTicketNorToken() async throws {
        try await Self.serving { _, _, port in
            let answer = try await replies(port, get("/SecretName?_mobile_bridge=1"))
            #expect(answer.map(\.status) == [200])
        }
    }
}
