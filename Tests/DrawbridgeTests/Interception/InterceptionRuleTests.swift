import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Which requests are for native")
struct InterceptionRuleTests {
    @Test(arguments: [
        ("/a?_mobile_bridge=1", "/a"),
        ("/?_mobile_bridge=1", "/"),
        ("/a?_mobile_bridge=1&x=1", "/a?x=1"),
        ("/a?x=1&_mobile_bridge=1", "/a?x=1"),
        ("/a?x=1&_mobile_bridge=1&y=%20+&x=2", "/a?x=1&y=%20+&x=2"),
        ("/a?_mobile_bridge=1&_mobile_bridge=1", "/a"),
        ("/a?_mobile_bridge=0&_mobile_bridge=1", "/a?_mobile_bridge=0"),
        ("/a?%5Fmobile_bridge=%31", "/a"),
        ("/a?b=?&_mobile_bridge=1", "/a?b=?"),
        ("/image/test?a=1&_mobile_bridge=1", "/image/test?a=1"),
    ])
    func theFlagIsRemovedAndTheRestOfTheTargetStaysUnchanged(target: String, plain: String) {
        let rule = FlagRule(name: "_mobile_bridge", value: "1")
        #expect(rule.canonicalRequest(for: Request(target))?.head.path == plain)
    }

    @Test(arguments: [
        "/a", "/a?", "/a?_mobile_bridge", "/a?_mobile_bridge=", "/a?_mobile_bridge=10",
        "/a?_mobile_bridge=01",
        "/a?_mobile_bridge=true", "/a?x_mobile_bridge=1", "/a?_Mobile_Bridge=1", "/a?x=_mobile_bridge=1",
        "/a?_mobile_bridge=1=1", "/_mobile_bridge=1", "/a?_mobile_bridge=1+", "/a?_mobile_bridge%3D1",
        "/a?_mobile_bridge=1;x=1", "/a?x=%26_mobile_bridge=1", "/a?_mobile_bridge%00=1",
    ])
    func aTargetThatOnlyResemblesTheFlagIsNotForNative(target: String) {
        #expect(FlagRule(name: "_mobile_bridge", value: "1").canonicalRequest(for: Request(target)) == nil)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .delete, .patch, .head, .options])
    func aFlaggedRequestIsForNativeWithAnyMethodOnAnyHost(method: HTTPRequest.Method) {
        let request = Request(method, "/a?_mobile_bridge=1", authority: "example.com:81")
        let plain = FlagRule(name: "_mobile_bridge", value: "1").canonicalRequest(for: request)
        #expect(plain?.method == method)
        #expect(plain?.head.authority == "example.com:81")
    }

    @Test(arguments: [
        ("/__jsbridge__/login", "localhost", "/login", false),
        ("/__jsbridge__/a/b?x=1", "localhost", "/a/b?x=1", false),
        ("/__jsbridge__", "localhost", "/", true),
        ("/__jsbridge__/", "localhost", "/", true),
        ("/__jsbridge__?action=a", "localhost", "/?action=a", true),
        ("/login", "__jsbridge__", "/login", false),
        ("/login", "__JSBRIDGE__:8080", "/login", false),
        ("/", "__jsbridge__", "/", true),
        ("/?action=a&data=1+1", "__jsbridge__.", "/?action=a&data=1%2B1", true),
        ("/__jsbridge__/login", "__jsbridge__", "/login", false),
    ])
    func aBridgeRequestIsRecognizedByItsPathOrHost(
        target: String, authority: String, plain: String, byAction: Bool
    ) throws {
        let request = Request(.post, target, authority: authority)
        let taken = try #require(JSBridgeRule().canonicalRequest(for: request))
        #expect(taken.head.path == plain)
        #expect(taken.isNamedByAction == byAction)
    }

    @Test(arguments: [
        ("/__jsbridge__x", "localhost"), ("/__jsbridge", "localhost"), ("/a/__jsbridge__", "localhost"),
        ("//__jsbridge__", "localhost"), ("/__JSBRIDGE__/a", "localhost"), ("/", "__jsbridge__.example"),
        ("/", "x__jsbridge__"), ("/?__jsbridge__", "localhost"), ("/", "a@__jsbridge__"),
    ])
    func aTargetThatOnlyResemblesTheBridgeIsNotForNative(target: String, authority: String) {
        #expect(JSBridgeRule().canonicalRequest(for: Request(.post, target, authority: authority)) == nil)
    }

    @Test func aRequestByBothBridgesReachesTheHandlerWithoutTheirMarks() async throws {
        let gateway = Gateway.testing()
        let response = await gateway.respond(to: Request("/__jsbridge__/echo?_mobile_bridge=1&a=b"))
        #expect(try await response.json()["data"] == ["a": "b"])
    }

    @Test(arguments: ["/a?native", "/a?native=", "/a?x=1&native"])
    func aFlagMayBeConfiguredWithoutAValue(target: String) {
        #expect(FlagRule(name: "native", value: "").canonicalRequest(for: Request(target)) != nil)
    }

    @Test func theRulesOfAGatewayCanBeReplaced() async throws {
        let gateway = Gateway.testing(passThrough: [Behind()], rules: [.flag("native", "yes")])
        #expect(
            try await gateway.respond(to: Request("/echo?native=yes&a=b")).json()["data"] == ["a": "b"])
        #expect(try await gateway.text(at: "/echo") == "behind: GET /echo?_mobile_bridge=1")
    }

    @Test(arguments: [
        ("/echo?a=b", true), ("/", true), ("/__drawbridge", true), ("/__drawbridge__/health", false),
        ("/__drawbridge__", false), ("//__drawbridge__/calls", false), ("/%5F_drawbridge__/calls", false),
    ])
    func everythingIsForNativeButTheGatewaysOwn(target: String, isTaken: Bool) {
        #expect((EverythingRule.everything.canonicalRequest(for: Request(target)) != nil) == isTaken)
    }

    @Test func aGatewayThatTakesEverythingNeedsNoMark() async throws {
        let gateway = Gateway.testing(passThrough: [Behind()], rules: [.everything])
        #expect(try await gateway.respond(to: Request("/echo?a=b")).json()["data"] == ["a": "b"])
        #expect(try await gateway.respond(to: Request("/nothing")).json()["message"] == "No response")
        let health = try await gateway.respond(to: Request("/__drawbridge__/health")).json()
        #expect(health["data"]?["status"] == "ok")
        #expect(NativeMark(gateway.rules).target("/echo?a=b") == "/echo?a=b")
        let foreign = Request("/echo", headers: [.origin: "https://foreign.example"])
        #expect(await gateway.respond(to: foreign).status == .forbidden)
    }
}
