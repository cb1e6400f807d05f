import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

@Suite("Finding the handler of a path")
struct RoutesTests {
    private func gateway(_ paths: String...) -> Gateway {
        let gateway = Gateway.testing()
        for path in paths { surely { try gateway.register(at: path) { Named(name: path) } } }
        return gateway
    }

    @Test(arguments: [
        ("/login", "/login"), ("/login/", "/login"), ("/%6Cogin", "/login"), ("/", "/"), ("/a/b", "/a/b"),
        ("/a%2Fb", nil), ("/Login", nil), ("/login//", nil), ("//login", nil), ("/log", nil),
        ("/login/x", nil),
        ("/a%20b", "/a b"), ("/a+b", nil), ("/caf%C3%A9", "/café"), ("/100%", "/100%"), ("/a/./b", nil),
        ("/login/../login", nil),
    ])
    func aPathIsComparedExactlyAfterDecodingAndWithoutOneLastSlash(path: String, found: String?) async throws
    {
        let gateway = gateway("/login", "/", "/a/b", "/a b", "/café", "/100%")
        let text = try await gateway.text(at: path)
        #expect(text == found ?? #"{"code":400,"message":"No response"}"#)
    }

    @Test(arguments: ["login", "/login", "login/", "/login/"])
    func aPathMayBeRegisteredWithAndWithoutItsSlashes(path: String) async throws {
        let gateway = gateway(path)
        #expect(try await gateway.text(at: "/login") == path)
        #expect(gateway.registered.keys.sorted() == ["/echo", "/login"])
    }

    @Test(arguments: [
        ("/user/me", "/user/me"), ("/user/ann", "/user/:id"), ("/user/ann/x", "/user/*"), ("/user", "/*"),
        ("/user/me/x", "/user/*"), ("/other", "/*"), ("/user/me/", "/user/me"),
    ])
    func exactBeatsParameterBeatsWildcard(path: String, found: String) async throws {
        #expect(try await gateway("/*", "/user/*", "/user/:id", "/user/me").text(at: path) == found)
        #expect(try await gateway("/user/me", "/user/:id", "/user/*", "/*").text(at: path) == found)
    }

    /// An invalid pattern would stop the process.
    @Test func textsFromOutsideAreCheckedBeforeTheyBecomePatterns() {
        var texts = [""]
        for _ in 1...6 {
            texts = texts.flatMap { text in ["/", "*", ":", "a", "é"].map { text + $0 } }
            for text in texts {
                guard let pattern = RoutePattern(checking: text) else {
                    #expect(text.contains("*/"), "\(text)")
                    continue
                }
                #expect(!pattern.parts.dropLast().contains(.wildcard), "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("/user/:id", "/user/a%2Fb%20c", ["id": "a/b c"]),
        ("/:a/x/:b", "/1/x/2", ["a": "1", "b": "2"]),
        ("/files/*", "/files/a/b.txt", ["*": "a/b.txt"]),
        ("/u/:id/*", "/u/1/2/3", ["id": "1", "*": "2/3"]),
        ("/exact", "/exact", [:]),
    ])
    func pathParametersArePercentDecoded(pattern: String, path: String, expected: [String: String])
        async throws
    {
        let gateway = Gateway.testing()
        gateway.answer(at: pattern) { try Response(output: $0.parameters) }
        let response = await gateway.respond(to: Request("\(path)?_mobile_bridge=1"))
        #expect(try await response.json()["data"]?.decode([String: String].self) == expected)
    }

    @Test func aParameterTakesNoEmptyPartAndAWildcardNeedsOnePart() async throws {
        let gateway = gateway("/user/:id", "/files/*")
        for path in ["/user//", "/user/", "/files/", "/files"] {
            #expect(try await gateway.text(at: path).contains("No response"))
        }
    }

    @Test func lettersThatOnlyLookAlikeAreDifferentPaths() async throws {
        let gateway = gateway("/caf\u{E9}", "/K")
        #expect(try await gateway.text(at: "/caf%C3%A9") == "/caf\u{E9}")
        #expect(try await gateway.text(at: "/cafe%CC%81").contains("No response"))
        // The Kelvin sign.
        #expect(try await gateway.text(at: "/%E2%84%AA").contains("No response"))
    }

    @Test func aPathThatIsNotUTF8IsABadRequest() async throws {
        let json = try await gateway("/*").respond(to: Request("/%FF?_mobile_bridge=1")).json()
        #expect(json["code"] == 400)
        #expect(json["message"]?.stringValue?.contains("UTF-8") == true)
    }

    @Test func routesThatDifferOnlyInParameterNamesAreTheSame() async throws {
        let gateway = gateway("/user/:id", "/user/:name")
        #expect(try await gateway.text(at: "/user/1") == "/user/:name")
        #expect(gateway.unregister("/user/:other"))
        #expect(gateway.registered.keys.sorted() == ["/echo"])
    }

    @Test func aRemovedRouteLeavesNothingBehind() {
        var routes = Routes<Route>()
        let route = Route(pattern: RoutePattern("/a/:b/c/*")) { _ in Echo() }
        #expect(routes.remove(route.pattern).isEmpty)
        #expect(routes.insert(route).isEmpty)
        #expect(routes.matches(["a", "1", "c", "2"]).map(\.values) == [["1", "2"]])
        #expect(routes.remove(route.pattern).map(\.name) == ["Echo"])
        #expect(routes.all.isEmpty)
        #expect(routes.isEmpty)
    }
}
