import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// What pages may call, as programs read it.
@Suite("The catalogue", .timeLimit(.minutes(5))) struct CatalogueTests {
    struct Pay: JSONHandler {
        enum Channel: String, Decodable, CaseIterable { case wechat, alipay }
        struct Input: Decodable {
            var orderNo: Int
            var channel: Channel?
        }
        struct Output: Codable { var receipt: String }
        func handle(_ input: Input) async throws -> Output { Output(receipt: "r\(input.orderNo)") }
    }

    /// Is written otherwise than it is read.
    struct Odd: JSONHandler {
        struct Output: Codable {
            var a = 1
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("text")
            }
        }
        func handle(_ input: Nothing) async throws -> Output { Output() }
    }

    struct Gets: JSONHandler {
        struct Input: Decodable { var id: Int }
        static let options = HandlerOptions(methods: [.get])
        func handle(_ input: Input) async throws -> [Int] { [input.id] }
    }

    static let file = #"""
        {
            "replies": {
                "getUser": {"nick": "Ann"},   // the usual one
                "pay": {"$cases": [
                    // refused
                    {"$when": {"channel": "alipay"}, "$reply": {"code": 6001}}
                ]},
                "order/:id": {"$reply": {"id": "{{input.id}}"}}
            },
            "scenarios": {"offline": {"*": {"$silence": true}, "getUser": {"$missing": true}}},
            "pages": {"/cart*": {"replies": {"getUser": {"nick": "Eve"}}}}
        }
        """#

    static func gateway(keepsJournal: Bool = true) throws -> Gateway {
        let gateway = Gateway(keepsJournal: keepsJournal, logger: .quiet)
        try gateway.register(Pay.self, at: "/pay")
        try gateway.register(Odd.self, at: "/odd")
        try gateway.register(Gets.self, at: "/gets")
        try gateway.register(Echo.self, at: "/user/:id")
        var file = try ReplyFile(LocatedJSON(parsing: Array(file.utf8)))
        file.name(by: "drawbridge.json")
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        return gateway
    }

    private static func handlers(_ program: JournalProgram, _ query: String = "") async throws -> [JSON] {
        let answer = try await program.ask(.get, "handlers\(query)").json()
        return try #require(answer["data"]?.arrayValue, "\(answer)")
    }

    @Test func theCatalogueListsEachNameWithWhatAnswersItFirst() async throws {
        let program = JournalProgram(try Self.gateway())
        await program.call("/pay?_mobile_bridge=1", #"{"orderNo": 17}"#)
        await program.call("/pay?_mobile_bridge=1", #"{"orderNo": 18, "channel": "alipay", "token": "t1"}"#)
        await program.call("/user/7?_mobile_bridge=1", #"{"a": 1}"#)
        await program.call("/user/8?_mobile_bridge=1", #"{"a": 2}"#)
        await program.call("/nobody?_mobile_bridge=1")
        let all = try await Self.handlers(program)
        #expect(
            all.compactMap { $0["name"]?.stringValue } == [
                "ask", "bytes", "echo", "fail", "getUser", "getUser", "gets", "nothing", "odd", "order/:id",
                "pay",
                "steps", "stream", "text", "user/:id",
            ])
        #expect(
            try await Self.handlers(program, "?name=pay") == [
                [
                    "name": "pay", "by": "reply", "reply": "pay", "file": "drawbridge.json", "line": 4,
                    "text": #"""
                    {"$cases": [
                                // refused
                                {"$when": {"channel": "alipay"}, "$reply": {"code": 6001}}
                            ]}
                    """#,
                    "handler": "Pay", "calls": 2,
                    "input": ["orderNo": 18, "channel": "alipay", "token": "[removed]"],
                    "output": ["code": 6001],
                ]
            ])
        #expect(
            try await Self.handlers(program, "?name=/user/7") == [
                [
                    "name": "user/:id", "by": "handler", "handler": "Echo", "calls": 2, "input": ["a": 2],
                    "output": ["a": 2, "id": "8"],
                ]
            ])
        let users = try await Self.handlers(program, "?name=getUser")
        #expect(users.map { $0["pages"] } == [nil, "/cart*"])
        #expect(users.map { $0["text"] } == [#"{"nick": "Ann"}"#, #"{"nick": "Eve"}"#])
        #expect(users.map { $0["line"] } == [3, 11])
        #expect(users.map { $0["reply"] } == ["getUser", "getUser (/cart*)"])
        #expect(users[0]["calls"] == 0 && users[0]["input"] == nil)
        #expect(try await Self.handlers(program, "?name=gets")[0]["methods"] == ["GET"])
        #expect(
            try await Self.handlers(program, "?name=pay&secrets=1")[0]["input"]?["token"] == "t1")
    }

    @Test func eachSessionHasItsOwnCatalogue() async throws {
        let program = JournalProgram(try Self.gateway())
        _ = await program.ask(.put, "replies?name=pay&session=ann", #"{"$reply": 1, "$delay": 5}"#)
        _ = await program.ask(.put, "scenario?session=ann", #"{"scenario": "offline"}"#)
        await program.call("/pay?_mobile_bridge=1", "{}", headers: [.session: "ann"])
        let pay = try await Self.handlers(program, "?name=pay&session=ann")
        #expect(
            pay == [
                [
                    "name": "pay", "by": "reply", "reply": "pay (set, ann)", "source": "session ann",
                    "text": #"{"$reply": 1, "$delay": 5}"#, "handler": "Pay", "calls": 1, "input": [:],
                    "output": 1,
                ]
            ])
        // What a scenario says of all names it says of this one too.
        let odd = try await Self.handlers(program, "?name=odd&session=ann")[0]
        #expect(odd["by"] == "reply" && odd["reply"] == "* (offline)" && odd["handler"] == "Odd")
        #expect(try await Self.handlers(program, "?name=odd")[0]["by"] == "handler")
        #expect(try await Self.handlers(program, "?name=pay")[0]["calls"] == 0)
    }

    @Test func wrongQueriesOfTheCatalogueAreExplained() async throws {
        let program = JournalProgram(try Self.gateway(keepsJournal: false))
        for (target, status, words) in [
            ("handlers?name=pai", HTTPResponse.Status.notFound, "did you mean pay?"),
            ("handlers?nam=pay", .badRequest, "did you mean name?"),
            ("handlers?name=*/b", .notFound, "nobody answers */b"),
            ("handlers/pay", .notFound, "nothing at"),
            ("record", .notFound, "keeps no journal"),
        ] {
            let answer = await program.ask(.get, target)
            #expect(answer.status == status, "\(target)")
            let text = try await answer.text()
            #expect(text.contains(words), "\(target): \(text)")
        }
        for path in ["handlers", "record"] {
            let answer = await program.ask(.post, path)
            #expect(answer.status == .methodNotAllowed && answer.headers[.allow] == "GET")
        }
        // Without a journal nothing was counted.
        #expect(try await Self.handlers(program, "?name=pay")[0]["calls"] == nil)
    }
}
