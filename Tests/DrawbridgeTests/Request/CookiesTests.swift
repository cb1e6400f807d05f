import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

@Suite("Cookies")
struct CookiesTests {
    @Test(
        arguments: [
            (["a=1; b=2"], ["a": "1", "b": "2"]), (["a=1;b=2;"], ["a": "1", "b": "2"]),
            (["a=1; a=2", "a=3"], ["a": "1"]), (["a=1", "b=2"], ["a": "1", "b": "2"]),
            (["a=b=c"], ["a": "b=c"]), ([" a = b c \t;"], ["a": "b c"]), (["a=\"q\""], ["a": "\"q\""]),
            (["a=%20+"], ["a": "%20+"]), (["a", "=b", ";", ""], [:]), (["a="], ["a": ""]),
            (["A=1; a=2"], ["A": "1", "a": "2"]),
        ] as [([String], [String: String])])
    func cookiesAreReadByName(fields: [String], cookies: [String: String]) {
        #expect(Cookies.parse(fields) == cookies)
    }

    @Test func aRequestHasItsCookies() {
        #expect(Request("/", headers: [.cookie: "a=1; b=2"]).cookies == ["a": "1", "b": "2"])
        #expect(Request("/").cookies.isEmpty)
    }
}
