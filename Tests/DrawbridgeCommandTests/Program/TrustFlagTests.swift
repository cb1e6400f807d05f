import Drawbridge
import Foundation
import TestSupport
import Testing

/// Where every caller seems to be on this machine, as in a container: nobody is let in without the link.
@Suite(.timeLimit(.minutes(5))) struct TrustFlagTests {
    private static let token = String(repeating: "t", count: 32)

    private struct Started {
        let program: Program
        let address: String
        let banner: JSON

        init(_ arguments: String...) async throws {
            let folder = try Folder()
            try folder.write("index.html", "<!doctype html><title>The Shop</title>")
            program = try Program.product(
                "drawbridge",
                ["-p", "0", "--no-local-trust", "--log-format", "json", "--root", folder.path] + arguments,
                environment: ["DRAWBRIDGE_TOKEN": token])
            banner = try JSON(parsing: Array(try await program.line(with: "listening").utf8))
            address = try #require(banner["address"]?.stringValue)
            self.folder = folder
        }

        private let folder: Folder

        func ask(_ path: String, _ more: String...) async throws -> String {
            try await Program("curl", ["-sS", "-i", "--max-time", "20"] + more + [address + path])
                .wholeOutput()
        }

        /// The cookie for which a ticket is exchanged.
        func enter(_ host: String) async throws -> String {
            let link = try #require(banner["links"]?[0]?.stringValue)
            let entered = try await ask(
                "/__drawbridge__/enter", "-d", String(link.split(separator: "#")[1]), "-H", "Host: \(host)")
            return try String(#require(entered.firstMatch(of: /Set-Cookie: ([^;]+);/)).output.1)
        }
    }

    @Test(arguments: [
        [], ["-H", "Host: localhost"], ["-H", "Host: __jsbridge__"], ["-H", "X-Forwarded-For: 127.0.0.1"],
        ["-H", "Forwarded: for=127.0.0.1"], ["-H", "Authorization: Bearer \(token)"],
    ])
    func withoutTheLinkEveryPathIsRefused(_ fields: [String]) async throws {
        let started = try await Started("--trusted-proxy", "127.0.0.1")
        for path in [
            "/", "/echo?_mobile_bridge=1", "/__drawbridge__/token", "/__drawbridge__/page.js",
            "/__drawbridge__/manual/", "/__drawbridge__/calls", "/__drawbridge__/admissions",
        ] {
            let answer = try await Program(
                "curl", ["-sS", "-i", "--max-time", "20"] + fields + [started.address + path]
            ).wholeOutput()
            #expect(answer.hasPrefix("HTTP/1.1 403"), "\(path) \(fields)")
            #expect(!answer.contains("The Shop") && !answer.contains("rawbridge"), "\(path) \(fields)")
        }
        let health = try await started.ask("/__drawbridge__/health")
        #expect(health.hasPrefix("HTTP/1.1 200"))
        #expect(await started.program.stop() == 0)
    }

    /// Outside, the port is another one.
    @Test func theLinkGivesABrowserAccessAtThePublicAddress() async throws {
        let started = try await Started("--public-url", "http://localhost:9090")
        #expect(started.banner["page"] == "http://localhost:9090/")
        let link = try #require(started.banner["links"]?[0]?.stringValue)
        #expect(link.hasPrefix("http://localhost:9090/__drawbridge__/enter#"))
        let host = "Host: localhost:9090"
        let cookie = try await started.enter("localhost:9090")
        #expect(cookie.hasPrefix("drawbridge-9090="))
        let page = try await started.ask("/", "-H", host, "-H", "Cookie: \(cookie)")
        #expect(page.contains("The Shop"))
        let token = try #require(page.firstMatch(of: /data-token="([0-9a-f]+)"/)).output.1
        let call = "/echo?_mobile_bridge=1&a=1"
        let without = try await started.ask(call, "-H", host, "-H", "Cookie: \(cookie)")
        #expect(without.hasPrefix("HTTP/1.1 403") && without.contains("page token"))
        let called = try await started.ask(
            call, "-H", host, "-H", "Cookie: \(cookie)", "-H", "X-Drawbridge-Token: \(token)",
            "-H", "Origin: http://localhost:9090")
        #expect(called.hasSuffix(#"{"code":200,"data":{"a":"1"},"message":""}"#), "\(called)")
        // A name that somebody pointed here is not a name of the gateway's, whoever asks.
        for foreign in ["evil.example", "localhost.evil.example"] {
            let answer = try await started.ask("/", "-H", "Host: \(foreign)", "-H", "Cookie: \(cookie)")
            #expect(answer.hasPrefix("HTTP/1.1 403"), "\(foreign)")
        }
    }

    @Test func programsOnOtherMachinesNeedTheOptionAndTheToken() async throws {
        let bearer = "Authorization: Bearer \(Self.token)"
        let closed = try await Started()
        #expect(try await closed.ask("/__drawbridge__/calls", "-H", bearer).hasPrefix("HTTP/1.1 403"))
        let open = try await Started("--api-for-others")
        #expect(try await open.ask("/__drawbridge__/calls").hasPrefix("HTTP/1.1 403"))
        #expect(try await open.ask("/__drawbridge__/calls", "-H", bearer).hasPrefix("HTTP/1.1 200"))
    }

    @Test func theInspectorIsReachedByItsOwnAddressAlone() async throws {
        let port = try freePort()
        let started = try await Started(
            "--inspector-port", "\(port)", "--inspector-url", "http://localhost:9091")
        let link = try #require(started.banner["inspector"]?.stringValue)
        #expect(link.hasPrefix("http://localhost:9091/#"))
        let body = #"{"ticket":"\#(link.split(separator: "#")[1])"}"#
        func ask(_ host: String, _ more: String...) async throws -> String {
            try await Program(
                "curl",
                ["-sS", "-i", "--max-time", "20", "-H", "Host: \(host)"] + more
                    + ["http://127.0.0.1:\(port)/ticket"]
            ).wholeOutput()
        }
        for host in ["localhost:\(port)", "127.0.0.1:9091", "localhost", "evil.example:9091"] {
            #expect(try await ask(host, "-d", body).hasPrefix("HTTP/1.1 403"), "\(host)")
        }
        let foreign = try await ask("localhost:9091", "-d", body, "-H", "Origin: http://localhost:9090")
        #expect(foreign.hasPrefix("HTTP/1.1 403"))
        let taken = try await ask("localhost:9091", "-d", body, "-H", "Origin: http://localhost:9091")
        #expect(taken.hasPrefix("HTTP/1.1 200") && taken.contains("secret"))
    }

    @Test(arguments: [
        (#"{"local-trust": false}"#, [], 403), (#"{"local-trust": false}"#, ["--local-trust"], 200),
        (#"{"local-trust": true}"#, ["--no-local-trust"], 403),
    ])
    func theLocalTrustFlagOverridesTheFile(_ file: String, _ flags: [String], _ status: Int) async throws {
        let folder = try Folder()
        let settings = try folder.write("settings.json", file)
        let program = try Program.product("drawbridge", ["-p", "0", "-c", settings] + flags)
        let answer = try await curl("-i", "\(try await program.address())/")
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
    }

    /// A flag beats the environment, which beats the file.
    @Test(
        arguments: [
            (#"{"lan": true}"#, [], nil, "0.0.0.0"), (#"{"lan": true}"#, ["--no-lan"], nil, "127.0.0.1"),
            (#"{"lan": true}"#, ["--host", "127.0.0.1"], nil, "127.0.0.1"),
            (#"{"lan": true}"#, [], "127.0.0.1", "127.0.0.1"), ("{}", ["--lan"], "127.0.0.1", "0.0.0.0"),
            (#"{"host": "127.0.0.2"}"#, ["--lan"], nil, "0.0.0.0"),
            (#"{"host": "127.0.0.2"}"#, ["--no-lan"], nil, "127.0.0.2"),
        ] as [(String, [String], String?, String)])
    func flagsOverrideEnvironmentAndFileForTheListeningAddress(
        _ file: String, _ flags: [String], _ variable: String?, _ host: String
    ) async throws {
        let folder = try Folder()
        let settings = try folder.write("settings.json", file)
        let program = try Program.product(
            "drawbridge", ["-p", "0", "-c", settings] + flags,
            environment: variable.map { ["DRAWBRIDGE_HOST": $0] } ?? [:])
        #expect(try await program.address().hasPrefix("http://\(host):"))
    }

    /// A server in front speaks https, and asks by http.
    @Test func theLinkWorksBehindAnHTTPSProxy() async throws {
        let started = try await Started("--public-url", "https://shop.test")
        let link = try #require(started.banner["links"]?[0]?.stringValue)
        #expect(link.hasPrefix("https://shop.test/__drawbridge__/enter#"))
        let ticket = String(link.split(separator: "#")[1])
        for (origin, status) in [("https://evil.example", 403), ("https://shop.test", 204)] {
            let entered = try await started.ask(
                "/__drawbridge__/enter", "-d", ticket, "-H", "Host: shop.test", "-H", "Origin: \(origin)")
            #expect(entered.hasPrefix("HTTP/1.1 \(status)"), "\(origin)")
        }
    }

    @Test(arguments: [
        ["--public-url", "localhost:9090"], ["--public-url", "http://a/b"], ["--public-url", "ftp://a"],
        ["--inspector-url", "nonsense"], ["--lan", "--host", "127.0.0.1"],
    ])
    func anInvalidAddressIsRefused(_ arguments: [String]) async throws {
        let program = try Program.product("drawbridge", ["-p", "0"] + arguments)
        #expect(await program.wholeOutput().contains(arguments[0]))
        #expect(await program.child.exitCode() == 64)
    }
}
