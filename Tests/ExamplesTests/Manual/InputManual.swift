import Drawbridge
import Foundation
import Testing

struct SearchHandler: JSONHandler {
    struct Input: Decodable {
        var words: String
        var page: Int?
        var tags: [String]?
        var since: Date?
    }

    struct Output: Encodable {
        var words: String
        var page: Int
        var tags: [String]
        var since: Date?
    }

    func handle(_ input: Input) async throws -> Output {
        Output(
            words: input.words, page: input.page ?? 1, tags: input.tags ?? [], since: input.since)
    }
}

@Suite struct InputManual {
    private func answer(_ request: Request) async throws -> String {
        let gateway = Gateway()
        try gateway.register(SearchHandler.self, at: "/search")
        let response = await gateway.respond(to: request)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    @Test(arguments: [
        Request("/search?_mobile_bridge=1&words=red+shoes&page=2&tags=new&since=2024-05-01T00:00:00Z"),
        Request(
            .post, "/search?_mobile_bridge=1&page=2",
            body: .init(#"{"words":"red shoes","tags":["new"],"since":1714521600000}"#)),
        Request(
            .post, "/__jsbridge__/search",
            body: .init("words=red+shoes&page=2&tags=new&since=1714521600000")),
    ])
    func theSameInputCanBeSentInThreeWays(request: Request) async throws {
        let same = #"{"words":"red shoes","page":2,"tags":["new"],"since":"2024-05-01T00:00:00.000Z"}"#
        #expect(try await answer(request) == #"{"code":200,"data":\#(same),"message":""}"#)
    }

    @Test func aWrongInputIsReportedWithItsMember() async throws {
        let wrong = try await answer(Request("/search?_mobile_bridge=1&words=red&page=two"))
        #expect(wrong == #"{"code":400,"message":"page: expected a whole number, got the string \"two\""}"#)
        #expect(
            try await answer(Request("/search?_mobile_bridge=1")).hasPrefix(
                #"{"code":400,"message":"no input"#))
    }

    @Test func jsonHoldsValuesOfAnyShape() throws {
        let reply: JSON = ["user": "ann", "scores": [1, 2.5]]
        #expect(reply["user"]?.stringValue == "ann")
        #expect(reply["scores"]?[1]?.numberValue?.doubleValue == 2.5)
        #expect(reply.description == #"{"user":"ann","scores":[1,2.5]}"#)
    }
}
