import TestSupport
import Testing

@testable import DrawbridgeServer

@Suite("The script for browsers that use the proxy", .timeLimit(.minutes(5)))
struct ProxyAutoConfigTests {
    private static let asked: [(url: String, isProxied: Bool)] = [
        ("http://example.com/", true), ("http://example.com:8080/x?q", true),
        ("http://__jsbridge__/login", true),
        ("http://192.0.2.7/", true), ("http://a.localhost/", true), ("http://gw.test:8081/", true),
        ("http://gw.test/", true), ("http://gw.test:8080.example/", true), ("http://gw.test:8080/", false),
        ("http://gw.test:8080/x", false), ("http://localhost/", false), ("http://localhost:3000/x", false),
        ("https://example.com/", false), ("https://gw.test:8080/", false), ("ws://example.com/", false),
        ("wss://example.com/", false), ("ftp://example.com/", false),
    ]

    @Test func sendsPagesByHTTPThroughTheProxyAndNothingElse() throws {
        let script = try #require(ProxyAutoConfig.script(authority: "GW.test:8080"))
        #expect(
            script == """
                function FindProxyForURL(url, host) {
                    var own = "http://gw.test:8080/";
                    if (url.slice(0, 5) !== "http:" || host === "localhost" || url.slice(0, own.length) === own) {
                        return "DIRECT";
                    }
                    return "PROXY gw.test:8080";
                }

                """)
    }

    /// The same, as a browser runs it.
    @Test func decidesSo() async throws {
        if !isInstalled("node") { try Test.cancel("node is not there; run scripts/setup others") }
        let script = try #require(ProxyAutoConfig.script(authority: "gw.test:8080"))
        let calls = Self.asked.map { "console.log(FindProxyForURL('\($0.url)', '\(Self.host($0.url))'));" }
        let node = try Program("node", ["-e", script + calls.joined()])
        let answers = await node.wholeOutput().split(separator: "\n").map(String.init)
        #expect(answers == Self.asked.map { $0.isProxied ? "PROXY gw.test:8080" : "DIRECT" })
    }

    private static func host(_ url: String) -> Substring { url.split(separator: "/")[1].prefix { $0 != ":" } }

    @Test(arguments: [
        ("gw.test", "http://gw.test/", "PROXY gw.test:80"),
        ("gw.test:80", "http://gw.test/", "PROXY gw.test:80"),
        ("[::1]:8080", "http://[::1]:8080/", "PROXY [::1]:8080"),
        ("[FE80::1]", "http://[fe80::1]/", "PROXY [fe80::1]:80"),
        ("192.0.2.7:1", "http://192.0.2.7:1/", "PROXY 192.0.2.7:1"),
        ("a-b_c:81", "http://a-b_c:81/", "PROXY a-b_c:81"),
    ])
    func namesTheProxyAsTheBrowserDid(authority: String, own: String, proxy: String) throws {
        let script = try #require(ProxyAutoConfig.script(authority: authority))
        #expect(script.contains("var own = \"\(own)\";\n"))
        #expect(script.contains("return \"\(proxy)\";\n"))
    }

    @Test(arguments: [
        "", ":80", "a b", "a;PROXY evil:80", "a'b", "a\"b", "a\\b", "a\nb", "u@h", "a,b", "a%3Bb", "h:99999",
        "(h)", "é",
    ])
    func hasNothingThatIsNoPlainHost(authority: String) {
        #expect(ProxyAutoConfig.script(authority: authority) == nil)
    }
}
