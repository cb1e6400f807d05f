import Testing

@testable import Drawbridge

@Suite("The nearest path")
struct NearestTests {
    @Test(arguments: [
        ("/login", "/login"), ("/logn", "/login"), ("/LOGIN", "/login"), ("/login/", "/login"),
        ("/lgoin", "/login"),
        ("/share", "/shared"), ("/shareds", "/shared"), ("/completely/other", nil),
        ("/user/7", "/user/:id"), ("/xxxxxx", nil),
    ])
    func isTheOneWithTheFewestChanges(path: String, nearest: String?) {
        #expect(Nearest.of(path, among: ["/login", "/logout/all", "/shared", "/user/:id"]) == nearest)
    }

    @Test func thereIsNoneAmongNone() {
        #expect(Nearest.of("/login", among: []) == nil)
    }

    @Test func aLongPathIsNoTrouble() {
        let long = "/" + String(repeating: "a", count: 1_000_000)
        #expect(Nearest.of(long, among: ["/a", "/login"]) == nil)
    }
}
