import Drawbridge
import HTTPGrammar
import HTTPTypes
import Testing

/// An upstream's fields go to the engine as bytes, unless somebody reads or changes them.
@Suite("Fields of a relayed answer") struct RelayedFieldsTests {
    private static let fields: HTTPFields = [.contentType: "a/b", .setCookie: "a=1", .eTag: "\"1\""]

    private static func response(_ fields: HTTPFields = fields) -> Response {
        Response(.ok, relaying: FieldText(fields), body: .empty)
    }

    @Test func readingTheFieldsLeavesThemForTheEngine() {
        let response = Self.response()
        #expect(response.headers == Self.fields && response.ownHeaders == Self.fields)
        #expect(response.typeText == "a/b")
        #expect(response.contains(.eTag) && !response.contains(.location))
        #expect(response.isRelayed && response.headersForEngine.isEmpty)
        #expect(response.fixedText == FieldText(Self.fields).bytes)
    }

    @Test func aChangedFieldIsSentWithTheOthers() {
        var response = Self.response()
        let copy = response
        response.headers[.eTag] = nil
        #expect(response.headersForEngine == [.contentType: "a/b", .setCookie: "a=1"])
        #expect(response.fixedText.isEmpty && response.relayed == nil && response.isRelayed)
        #expect(copy.headers == Self.fields && copy.relayed != nil)
    }

    /// Of a handler that passes its request on: the gateway adds its own fields.
    @Test func fieldsOfTheGatewayComeBehindThem() {
        var response = Self.response()
        response.addSafety()
        response.seal(requestID: "x")
        let added = response.fixedText.dropFirst(FieldText(Self.fields).bytes.count)
        #expect(!added.isEmpty)
        #expect(response.headers.prefix(3).map(\.description) == Self.fields.map(\.description))
        #expect(response.headers[.cacheControl] != nil)
        #expect(response.headers[.requestID] == "x")
    }

    @Test func aFieldOfTheGatewayReplacesOneOfTheUpstream() {
        var response = Self.response([.cacheControl: "max-age=1", .requestID: "upstream's"])
        response.seal(requestID: "own")
        #expect(response.headers[values: .requestID] == ["own"])
        response.addSafety()
        #expect(response.headers[values: .cacheControl] == ["max-age=1"])
    }

    @Test(arguments: ["drawbridge-80=x", "DRAWBRIDGE-80=x", "__Host-drawbridge-80=x", "=drawbridge-80=x"])
    func aCookieOfTheGatewayIsTakenOut(cookie: String) {
        var fields = Self.fields
        fields.append(HTTPField(name: .setCookie, value: cookie))
        var response = Self.response(fields)
        response.setOwnCookie()
        #expect(response.headersForEngine == Self.fields && response.isRelayed)
        var own = Self.response()
        own.ownCookie = "drawbridge-80=y"
        own.setOwnCookie()
        #expect(own.headers[.setCookie] == "drawbridge-80=y")
    }

    @Test func aCookieOfTheUpstreamStays() {
        var response = Self.response()
        response.setOwnCookie()
        #expect(response.relayed != nil)
    }

    /// The engine cannot send a tab; it logs that of a field that it gets by itself.
    @Test func fieldsWithATabGoOneByOne() {
        let fields: HTTPFields = [.contentType: "a/b", .eTag: "\"a\tb\""]
        let response = Self.response(fields)
        #expect(response.relayed == nil && response.isRelayed)
        #expect(response.headersForEngine == fields && response.fixedText.isEmpty)
    }
}
