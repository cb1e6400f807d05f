import Foundation
import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Reading the input")
struct RequestInputTests {
    /// What a handler that takes any JSON gets, after a way through the whole gateway.
    private func input(
        _ body: String = "", type: String? = nil, target: String = "/echo?_mobile_bridge=1"
    ) async throws -> JSON? {
        try await reply(body, type: type, target: target)["data"]
    }

    private func reply(
        _ body: String = "", type: String? = nil, target: String = "/echo?_mobile_bridge=1"
    ) async throws -> JSON {
        try await reply(Array(body.utf8), type: type, target: target, to: .testing())
    }

    private func reply(
        _ body: [UInt8], type: String? = nil, target: String, to gateway: Gateway
    ) async throws -> JSON {
        var headers = HTTPFields()
        headers[.contentType] = type
        let request = Request(.post, target, headers: headers, body: .init(body))
        return try await gateway.respond(to: request).json()
    }

    /// The message of the 400 for an input that does not fit.
    private func complaint<Input: Decodable & Sendable>(
        _ type: Input.Type, _ body: String, query: String = ""
    ) async throws -> String? {
        let gateway = Gateway.testing()
        gateway.answer(at: "/typed") { request in
            _ = try await request.input(as: Input.self)
            return Response()
        }
        let target = "/typed?_mobile_bridge=1\(query)"
        let reply = try await reply(Array(body.utf8), target: target, to: gateway)
        #expect(reply["code"] == 400)
        return reply["message"]?.stringValue
    }

    // MARK: - Query, JSON, form

    @Test(arguments: [
        ("&a=1&b=x", #"{"a":"1","b":"x"}"#),
        ("&a=%20+%2B", #"{"a":"  +"}"#),
        ("&a", #"{"a":""}"#),
        ("&a=1&a=2", #"{"a":["1","2"]}"#),
        ("&=x", #"{"":"x"}"#),
        ("&&a=1&", #"{"a":"1"}"#),
        ("&a=100%&b=%zz", #"{"a":"100%","b":"%zz"}"#),
        ("&a=%F0%9F%98%80&b=%E2%80%A8", #"{"a":"😀","b":"\u2028"}"#),
        ("&a=%00", #"{"a":"\u0000"}"#),
        ("&_mobile_bridge=2", #"{"_mobile_bridge":"2"}"#),
    ])
    func queryItemsAreMembersOfTheInputButTheFlagIsNot(query: String, expected: String) async throws {
        #expect(try await input(target: "/echo?_mobile_bridge=1\(query)")?.description == expected)
    }

    @Test(arguments: [
        #"{"a":[1,{"b":null}]}"#, "[1,2]", "[]", "{}", #""text""#, #""""#, "12.50", "-1", "true", "false",
    ])
    func aJSONBodyIsInputWhateverItsContentType(body: String) async throws {
        for type in ["application/json", "text/plain;charset=UTF-8", nil] {
            #expect(try await input(body, type: type)?.description == body)
            #expect(try await input(body, type: type, target: "/__jsbridge__/echo")?.description == body)
        }
    }

    @Test(arguments: ["", " \r\n\t", "null", " null "])
    func nullAndMissingAreBothNoInput(body: String) async throws {
        struct Optionals: Decodable, Sendable {
            var a: String?
            var b: Int?
        }
        for type in ["application/json", "text/plain", nil] {
            #expect(try await reply(body, type: type).description == #"{"code":200,"message":""}"#)
            #expect(try await input(body, type: type, target: "/echo?_mobile_bridge=1&a=1") == ["a": "1"])
        }
        let request = Request(.post, "/", headers: [.contentType: "application/json"], body: .init(body))
        let optionals = try await request.input(as: Optionals.self)
        #expect(optionals.a == nil && optionals.b == nil)
        #expect(try await request.input(as: String?.self) == nil)
        #expect(try await request.input(as: [String: Int].self) == [:])
    }

    @Test(arguments: [
        "user=ann&note=a+b%26c", "user=ann&note=a%20b%26c&",
    ])
    func aBodyThatIsNotJSONIsReadAsAForm(body: String) async throws {
        for type in ["application/x-www-form-urlencoded", "text/plain", nil] {
            #expect(try await input(body, type: type) == ["user": "ann", "note": "a b&c"])
        }
    }

    @Test(arguments: ["hello world", "取得", "a\0b"])
    func aBodyThatIsNeitherIsAString(body: String) async throws {
        for type in ["text/plain;charset=UTF-8", nil, "text/csv"] {
            for target in ["/echo?_mobile_bridge=1&a=1", "/__jsbridge__/echo"] {
                #expect(try await input(body, type: type, target: target) == .string(body))
            }
        }
        #expect(try await input(#"<a b="c"/>"#, type: "application/xml") == #"<a b="c"/>"#)
        let form = "application/x-www-form-urlencoded"
        #expect(try await input(body, type: form) == .object([body: ""]))
    }

    /// What the channel of a page does with them, too.
    @Test(arguments: [
        (#"{"a":"\ud83c"}"#, #"{"a":"�"}"#), ("\u{FEFF}{\"a\":1}", #"{"a":1}"#),
        ("\u{FEFF}a=1", #"{"a":"1"}"#),
        ("\u{FEFF}hello", #""hello""#), (#"{"\ud83c":1,"\ud83d":2}"#, #"{"�":1,"��":2}"#),
    ])
    func halvesOfCharactersAndAMarkLoseNoCall(body: String, expected: String) async throws {
        for target in ["/echo?_mobile_bridge=1", "/__jsbridge__/echo"] {
            #expect(try await input(body, target: target)?.description == expected)
        }
        guard body.contains("{") else { return }
        let data = body.trimmingPrefix("\u{FEFF}")
        let calls = [
            "\u{FEFF}{\"action\":\"echo\",\"data\":\(data)}", "action=echo&data=\(data)",
            "\u{FEFF}action=echo&data=\(data)",
        ]
        for call in calls { #expect(try await input(call, target: "/__jsbridge__")?.description == expected) }
        let query = Percent.encode(String(data))
        #expect(
            try await input(#"{"action":"echo"}"#, target: "/__jsbridge__?data=\(query)")?.description
                == expected)
    }

    @Test func aFormThatLooksLikeAScalarIsAForm() async throws {
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        #expect(try await input("123", type: type) == ["123": ""])
        #expect(try await input("true", type: type) == ["true": ""])
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1,"b":"query"}"#),
        ("a=1", #"{"a":"1","b":"query"}"#),
        (#"{"a":null}"#, #"{"a":null,"b":"query"}"#),
        ("{}", #"{"a":"query","b":"query"}"#),
        ("[1]", "[1]"),
        (#""text""#, #""text""#),
    ])
    func theBodyWinsOverTheQuery(body: String, expected: String) async throws {
        let target = "/echo?_mobile_bridge=1&a=query&b=query"
        #expect(try await input(body, target: target)?.description == expected)
    }

    @Test(arguments: [2, 16, 17, 500])
    func theBodyWinsOverTheQueryWithAnyNumberOfMembers(count: Int) async throws {
        let body = "{" + (0..<count).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        let request = Request(.post, "/?k0=7&new=8&new=9&k1=7&other=10", body: .init(body))
        let input = try await request.input(as: JSON.self)
        #expect(input.objectValue?.count == count + 2)
        #expect(input["k0"] == 0 && input["k1"] == 1 && input["new"] == ["8", "9"] && input["other"] == "10")
        struct Typed: Decodable, Sendable {
            var k0: Int
            var new: [Int]
            var other: Int
        }
        let typed = try await request.input(as: Typed.self)
        #expect(typed.k0 == 0 && typed.new == [8, 9] && typed.other == 10)
    }

    @Test func textOfAQueryIsReadAsNumbersDatesAndBooleans() async throws {
        struct Search: Codable, Sendable, Equatable {
            var page: Int
            var ratio: Double
            var exact: Bool
            var since: Date
            var tags: [String]
            var sizes: [Int]
            var limit: Int?
        }
        let search = try await Request(
            "/?page=2&ratio=0.5&exact=true&since=1970-01-01T00:00:01Z&tags=red&sizes=1&sizes=2&limit="
        ).input(as: Search.self)
        #expect(
            search
                == Search(
                    page: 2, ratio: 0.5, exact: true, since: Date(timeIntervalSince1970: 1), tags: ["red"],
                    sizes: [1, 2], limit: nil))
    }

    @Test func unknownMembersAreIgnored() async throws {
        struct Small: Decodable, Sendable { var user: String }
        let body = #"{"user":"ann","extra":{"deep":[1]},"user2":1}"#
        #expect(try await Request(.post, "/?x=1", body: .init(body)).input(as: Small.self).user == "ann")
    }

    @Test func anInputOfTypeNothingAcceptsAnyBody() async throws {
        for body in ["", "{", "\u{FEFF}", "a=b"] {
            _ = try await Request(.post, "/", body: .init(body)).input(as: Nothing.self)
        }
    }

    /// A body whose length nobody knows, as an engine hands on what it streams.
    private actor Pieces: ChunkSource {
        private var pieces: [String]

        init(_ pieces: [String]) { self.pieces = pieces }

        func next() -> [UInt8]? { pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8) }
    }

    @Test(.timeLimit(.minutes(5)))
    func aBodyThatArrivesInPiecesIsRead() async throws {
        let body = Request.Body(Pieces([#"{"us"#, "", #"er":"#, #""ann"}"#]))
        let request = Request(.post, "/echo?_mobile_bridge=1", body: body)
        #expect(try await Gateway.testing().respond(to: request).json()["data"] == ["user": "ann"])
        let long = Request.Body(Pieces(["abc", "def"]))
        await #expect(throws: HTTPError.self) { try await long.collect(upTo: 5) }
    }

    /// The engine streams where another handler might have taken the request.
    @Test(.timeLimit(.minutes(5)), arguments: [("/own", 4), ("/gateways", 6)])
    func aBodyThatArrivesInPiecesIsRefusedWhereItIsTooLongForItsHandler(_ path: String, _ limit: Int)
        async throws
    {
        struct Own: Handler {
            static let options = HandlerOptions(body: .collected(upTo: 4))

            func handle(_ request: Request) async -> Response {
                Response(text: "\(request.body.bytes?.count ?? -1)")
            }
        }
        struct Gateways: Handler {
            func handle(_ request: Request) async -> Response { await Own().handle(request) }
        }
        let gateway = Gateway(bodyLimit: 6)
        try gateway.register(at: "/own") { Own() }
        try gateway.register(at: "/gateways") { Gateways() }
        func answer(_ pieces: String...) async throws -> String {
            let body = Request.Body(Pieces(pieces))
            return try await gateway.respond(to: Request(.post, "\(path)?_mobile_bridge=1", body: body))
                .text()
        }
        let fits = String(repeating: "x", count: limit - 1)
        #expect(try await answer(fits, "", "y") == "\(limit)")
        let refusal = "the body is larger than the limit of \(limit) bytes"
        #expect(try await answer(fits, "yz") == #"{"code":413,"message":"\#(refusal)"}"#)
    }

    // MARK: - What does not fit

    struct Order: Decodable, Sendable {
        struct Item: Decodable, Sendable { var price: Double }
        var user: String
        var items: [Item]
        var due: Date?
        var count: UInt8?
    }

    @Test(arguments: [
        (#"{"items":[]}"#, "user is missing: expected a string"),
        (#"{"user":1,"items":[]}"#, "user: expected a string, got the number 1"),
        (#"{"user":null,"items":[]}"#, "user: expected a string, got null"),
        (#"{"user":"a"}"#, "items is missing"),
        (#"{"user":"a","items":{}}"#, "items: expected an array, got an object"),
        (
            #"{"user":"a","items":[{"price":1},{"price":"abc"}]}"#,
            #"items[1].price: expected a number, got the string "abc""#
        ),
        (#"{"user":"a","items":[{}]}"#, "items[0].price is missing: expected a number"),
        (#"{"user":"a","items":[{"price":1e999}]}"#, "items[0].price: "),
        (#"{"user":"a","items":[],"count":256}"#, "count: "),
        (#"{"user":"a","items":[],"due":"yesterday"}"#, "due: "),
        ("[]", "expected an object, got an array"),
        ("\"text\"", "expected an object, got "),
    ])
    func inputThatDoesNotFitIsReportedWithItsFieldAndValue(body: String, message: String) async throws {
        let complaint = try #require(try await complaint(Order.self, body))
        #expect(complaint.hasPrefix(message), "\(complaint)")
    }

    @Test func aQueryThatDoesNotFitIsReportedWithItsItem() async throws {
        struct Page: Decodable, Sendable { var page: Int }
        let complaint = try await complaint(Page.self, "", query: "&page=two")
        #expect(complaint?.hasPrefix("page: ") == true)
        #expect(complaint?.contains("two") == true)
    }

    @Test func missingInputIsReported() async throws {
        #expect(
            try await complaint(Order.self, "")
                == "no input was sent, and it is needed: user is missing: expected a string")
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, #"two members with the name "a""#),
        ("[1,]", "expected a value after ','"),
        (#"{"a":1,}"#, "expected the name of a member"),
        (#"{"a":NaN}"#, "expected a value"),
        (#"{"a":Infinity}"#, "expected a value"),
        (#"{"a":-Infinity}"#, "expected a digit"),
        (#"{"a":01}"#, "begin with a zero"),
        ("{", "the end of the text"),
        ("{} {}", "nothing after the value"),
        (#""open"#, "line 1"),
        ("{'a':1}", "double quotes"),
    ])
    func invalidJSONIsABadRequestThatSaysWhy(body: String, reason: String) async throws {
        for target in ["/echo?_mobile_bridge=1", "/__jsbridge__/echo", "/__jsbridge__"] {
            let reply = try await reply(body, target: target)
            #expect(reply["code"] == 400)
            let message = try #require(reply["message"]?.stringValue)
            #expect(message.hasPrefix("the body is not JSON: line "))
            #expect(message.contains(reason), "\(message)")
            #expect(message.utf8.count < 300)
        }
    }

    @Test func aHundredThousandLevelsOfJSONAreABadRequest() async throws {
        let count = 100_000
        let arrays = String(repeating: "[", count: count)
        let objects = String(repeating: #"{"a":"#, count: count) + "1" + String(repeating: "}", count: count)
        for body in [arrays, objects, "{\"action\":\"echo\",\"data\":\(objects)}"] {
            for target in ["/echo?_mobile_bridge=1", "/__jsbridge__/echo", "/__jsbridge__"] {
                let reply = try await reply(body, target: target)
                #expect(reply["code"] == 400)
                let message = reply["message"]?.stringValue ?? ""
                #expect(
                    message.hasPrefix("the body is not JSON: line 1, column ") && message.utf8.count < 300)
            }
        }
    }

    @Test(
        arguments: [
            ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], "the text is not UTF-8"),
            ([0x61, 0x3D, 0xFF], "the body is not UTF-8"),
        ] as [([UInt8], String)])
    func aBodyThatIsNotUTF8IsABadRequest(body: [UInt8], reason: String) async throws {
        let reply = try await reply(body, target: "/echo?_mobile_bridge=1", to: .testing())
        #expect(reply["code"] == 400)
        #expect(reply["message"]?.stringValue?.contains(reason) == true)
    }

    /// A mock does not answer as if nothing had been sent.
    @Test(arguments: [
        "/echo?_mobile_bridge=1", "/__jsbridge__/echo", "/__jsbridge__", "/mocked?_mobile_bridge=1",
    ])
    func aCompressedBodyIsAnUnsupportedCoding(target: String) async throws {
        let gateway = Gateway.testing()
        try gateway.mock(["mocked": ["$reply": "{{input}}"]])
        for coding in ["gzip", "deflate", "br"] {
            let request = Request(
                .post, target, headers: [.contentEncoding: coding, .contentType: "application/json"],
                body: .init([0x1F, 0x8B, 8, 0]))
            let answer = await gateway.respond(to: request)
            #expect(answer.headers[.acceptEncoding] == "identity")
            let message = "the body is compressed (Content-Encoding: \(coding)); send it uncompressed"
            #expect(try await answer.json() == ["code": 415, "message": .string(message)])
        }
        let plain = Request(
            .post, "/echo?_mobile_bridge=1", headers: [.contentEncoding: "identity"], body: .init("text"))
        #expect(try await gateway.respond(to: plain).json()["data"] == "text")
    }

    @Test func aMultipartBodyIsAnUnsupportedType() async throws {
        let reply = try await reply("--x\r\n", type: "Multipart/Form-Data; boundary=x")
        #expect(reply["code"] == 415)
        #expect(reply["message"]?.stringValue?.contains("several parts") == true)
    }

    // MARK: - Values that are easily damaged

    @Test(arguments: [
        #"{"a":12345678901234567890123456789012345678901234567890}"#,
        #"{"a":0.1000000000000000055511151231257827,"b":-0.0,"c":1E400,"d":1.10}"#,
        #"{"a":9007199254740993,"b":18446744073709551615}"#,
        #"{"nul":"\u0000","line":"\u2028\u2029","emoji":"👩‍👩‍👧‍👦😀","slash":"/\\\"","accent":"é","two":"é"}"#,
        "{\"\u{E9}\":1,\"e\u{301}\":2}",
        #"{"z":1,"a":2,"":3,"__proto__":4}"#,
        #"{"</script>":"<!--"}"#,
    ])
    func jsonInputIsEchoedByteForByte(body: String) async throws {
        #expect(try await input(body)?.description == body)
        #expect(
            try await reply(#"{"action":"echo","data":\#(body)}"#, target: "/__jsbridge__")["data"]?
                .description
                == body)
    }

    @Test func typedValuesSurviveARoundTrip() async throws {
        struct Values: Codable, Sendable, Equatable {
            var date: Date
            var millis: Date
            var price: Decimal
            var big: UInt64
            var huge: Int64
            var bytes: Data
        }
        struct Same: JSONHandler {
            func handle(_ input: Values) async throws -> Values { input }
        }
        let gateway = Gateway.testing()
        try gateway.register(Same.self, at: "/same")
        let body = #"""
            {"date":"2026-11-20T23:29:24.123+01:00","millis":1000,"price":12345678901234567890.123456789,
            "big":18446744073709551615,"huge":-9223372036854775808,"bytes":"AP8="}
            """#
        let reply = try await reply(Array(body.utf8), target: "/same?_mobile_bridge=1", to: gateway)
        #expect(
            reply["data"]?.description
                == #"{"date":"2026-11-20T22:29:24.123Z","millis":"1970-01-01T00:00:01.000Z","#
                + #""price":12345678901234567890.123456789,"big":18446744073709551615,"#
                + #""huge":-9223372036854775808,"bytes":"AP8="}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func aMegabyteOfInputIsEchoedWhole() async throws {
        let text = String(repeating: "0123456789abcdé\u{2028}", count: 60_000)
        let body = JSON.object(["text": .string(text)]).bytes
        #expect(body.count > 1 << 20)
        let reply = try await reply(body, target: "/echo?_mobile_bridge=1", to: .testing())
        #expect(reply["data"]?["text"]?.stringValue == text)
    }
}
