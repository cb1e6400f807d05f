import Glibc
import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMocks

/// Sessions: what one test changes, another does not see.
@Suite("Sessions", .timeLimit(.minutes(5))) struct SessionTests {
    static func book(_ text: String) throws -> ReplyBook {
        let book = ReplyBook(in: Registry())
        book.set(try layers(text))
        return book
    }

    static func layers(_ text: String) throws -> ReplyLayers {
        var file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)), isAlone: true)
        file.name(by: "file")
        return ReplyLayers(ReplyNames(), files: [file], scenario: [])
    }

    static func session(_ name: String) throws -> Session { try #require(Session(name)) }

    private static func value(_ book: ReplyBook, _ path: String, in session: Session) -> String? {
        var lookup = book.lookup(path, in: session)
        guard case .value(let bytes)? = book.next(in: &lookup, ReplyInput(nil), Redaction())?.reply.outcome
        else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 65), "a;b", "a\n"])
    func anInvalidSessionNameIsRefused(_ name: String) { #expect(Session(name) == nil) }

    @Test func scenariosSequencesAndMocksBelongToOneSession() throws {
        let book = try Self.book(
            #"""
            {"replies": {"next": {"$sequence": [1, 2, 3]}, "getUser": "nobody"},
             "scenarios": {"in": {"getUser": "Ann"}}}
            """#)
        let (ann, bob) = (try Self.session("ann"), try Self.session("bob"))
        try book.turn("in", on: true, in: ann)
        #expect(Self.value(book, "/getUser", in: ann) == #""Ann""#)
        #expect(Self.value(book, "/getUser", in: bob) == #""nobody""#)
        #expect(Self.value(book, "/getUser", in: .usual) == #""nobody""#)
        #expect((1...4).map { _ in Self.value(book, "/next", in: ann) } == ["1", "2", "3", "3"])
        #expect((1...2).map { _ in Self.value(book, "/next", in: bob) } == ["1", "2"])
        #expect(Self.value(book, "/next", in: .usual) == "1")
        try book.set(LocatedJSON(parsing: Array("9".utf8)), for: "getUser", in: bob)
        #expect(Self.value(book, "/getUser", in: bob) == "9")
        #expect(Self.value(book, "/getUser", in: ann) == #""Ann""#)
        book.reset(ann)
        #expect(Self.value(book, "/getUser", in: ann) == #""nobody""#)
        #expect(Self.value(book, "/next", in: ann) == "1")
        #expect(Self.value(book, "/getUser", in: bob) == "9")
        try book.set(nil, for: "getUser", in: bob)
        #expect(Self.value(book, "/getUser", in: bob) == #""nobody""#)
    }

    @Test func aSaveKeepsWhatASessionHasSwitchedAndSet() throws {
        let text = #"{"replies": {"a": 1}, "scenarios": {"x": {"a": 2}, "y": {"a": 3}}, "scenario": "y"}"#
        let book = try Self.book(text)
        let (ann, bob) = (try Self.session("ann"), try Self.session("bob"))
        try book.turn("x", on: true, in: ann)
        try book.set(LocatedJSON(parsing: Array("7".utf8)), for: "b", in: bob)
        book.set(try Self.layers(text.replacing(#""scenario": "y""#, with: #""scenario": []"#)))
        #expect(book.scenarios(in: ann) == ["y", "x"])
        #expect(book.scenarios(in: bob) == [])
        #expect(Self.value(book, "/b", in: bob) == "7")
        #expect(Self.value(book, "/b", in: ann) == nil)
    }

    /// A group has none on only where somebody has switched it off.
    @Test func afterAScenarioIsRemovedTheFileDecidesForItsGroup() throws {
        let text = #"{"scenarios": {"g/a": {"a": 1}, "g/b": {"a": 2}, "x": {}}, "scenario": "g/a"}"#
        let book = try Self.book(text)
        let (ann, bob) = (try Self.session("ann"), try Self.session("bob"))
        try book.turn("g/b", on: true, in: ann)
        try book.turn("x", on: true, in: ann)
        try book.turn("g/a", on: false, in: bob)
        book.set(try Self.layers(text.replacing("g/b", with: "g/c")))
        #expect(book.scenarios(in: ann) == ["x", "g/a"])
        #expect(book.scenarios(in: bob) == [])
    }

    @Test func theLongestIdleOfTooManySessionsIsDropped() throws {
        let book = try Self.book(#"{"replies": {"a": 1}, "scenarios": {"x": {"a": 2}}}"#)
        for number in 0..<Session.most + 5 {
            try book.turn("x", on: true, in: Self.session("s\(number)"))
            // This one is never idle for long.
            try book.turn("x", on: true, in: Self.session("s0"))
        }
        #expect(book.sessionCount == Session.most)
        #expect(book.scenarios(in: try Self.session("s0")) == ["x"])
        #expect(book.scenarios(in: try Self.session("s1")) == [])
    }

    /// Any page may name sessions, and its calls are in them.
    @Test func sessionsOfPagesDoNotEvictMocksThatATestHasSet() throws {
        let book = try Self.book(#"{"replies": {"next": {"$sequence": [1, 2]}}}"#)
        let test = try Self.session("test")
        try book.set(LocatedJSON(parsing: Array("9".utf8)), for: "a", in: test)
        for number in 0..<Session.most * 2 {
            _ = Self.value(book, "/next", in: try Self.session("page\(number)"))
        }
        #expect(book.sessionCount == Session.most)
        #expect(Self.value(book, "/a", in: test) == "9")
    }

    @Test func sessionsOfPagesDoNotEvictASessionWithASwitchedScenario() throws {
        let book = try Self.book(
            #"{"replies": {"next": {"$sequence": [1, 2]}}, "scenarios": {"x": {"a": 2}, "y": {"a": 3}}}"#)
        let test = try Self.session("test")
        try book.turn("x", on: true, in: test, isByTest: true)
        for number in 0..<Session.most * 2 {
            // As behind an answer that a page gets.
            try book.turn("y", on: true, in: Self.session("page\(number)"))
        }
        #expect(book.scenarios(in: test) == ["x"])
    }

    /// Sixty of nearly a megabyte were most of a gigabyte of memory.
    @Test func theMocksOfAllSessionsTogetherAreBounded() throws {
        let book = try Self.book(#"{"replies": {"a": 1}}"#)
        let reply = try LocatedJSON(parsing: Array(#""\#(String(repeating: "x", count: 1_000_000))""#.utf8))
        for number in 0..<16 { try book.set(reply, for: "a", in: Self.session("s\(number)")) }
        let fault = #expect(throws: ReplyFault.self) {
            try book.set(reply, for: "a", in: Self.session("more"))
        }
        #expect(fault?.message.contains("reset sessions that have finished") == true)
        book.reset(try Self.session("s3"))
        try book.set(reply, for: "a", in: Self.session("more"))
    }

    @Test func aSessionHasRoomForAThousandReplies() throws {
        let book = try Self.book(#"{"replies": {"a": 1}}"#)
        let reply = try LocatedJSON(parsing: Array(#""\#(String(repeating: "x", count: 600))""#.utf8))
        let small = try LocatedJSON(parsing: Array("1".utf8))
        for number in 0..<SessionReplies.mostReplies {
            try book.set(number < 50 ? reply : small, for: "r\(number)", in: .usual)
        }
        #expect(throws: ReplyFault.self) { try book.set(small, for: "onemore", in: .usual) }
        // One of them may be another, by either way of writing its name.
        try book.set(small, for: "/r3", in: .usual)
        #expect(Self.value(book, "/r3", in: .usual) == "1")
        try book.set(reply, for: "r3", in: .usual)
        #expect(book.replies(of: .usual).count == SessionReplies.mostReplies)
        let large = try LocatedJSON(parsing: Array(#""\#(String(repeating: "x", count: 1 << 20))""#.utf8))
        #expect(throws: ReplyFault.self) { try book.set(large, for: "large", in: .usual) }
        #expect(Self.value(book, "/r3", in: .usual)?.utf8.count == 602)
        #expect(Self.value(book, "/large", in: .usual) == nil)
    }

    @Test func mocksForAPageComeBeforeThoseForAllPages() throws {
        let book = try Self.book(
            #"{"replies": {"price": 1, "a": 2}, "pages": {"/pay*": {"replies": {"price": 12}}}, "scenarios": {"s": {"price": 5}}}"#
        )
        func value(_ page: String?) -> String? {
            var lookup = book.lookup("/price", ofPageAt: page)
            guard
                case .value(let bytes)? = book.next(in: &lookup, ReplyInput(nil), Redaction())?.reply.outcome
            else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(value("/pay.html") == "12")
        #expect(value("/shop.html") == "1")
        #expect(value(nil) == "1")
        try book.turn("s", on: true)
        #expect(value("/pay.html") == "5")
        #expect(book.named(besides: [], ofPageAt: "/x") == ["a", "price"])
    }

    // MARK: Whose a request is

    @Test func theSessionOfARequestComesFromAHeaderOrACookie() async throws {
        let gateway = try await Gateway.replying(#"{"a": 0}"#)
        try gateway.set(LocatedJSON(parsing: Array("1".utf8)), for: "a", in: Self.session("ann"))
        func answer(_ fields: HTTPFields) async throws -> JSON? {
            try await gateway.respond(to: Request("/a?_mobile_bridge=1", headers: fields)).json()["data"]
        }
        #expect(try await answer([:]) == 0)
        #expect(try await answer([.session: "ann"]) == 1)
        #expect(try await answer([.session: "bob"]) == 0)
        #expect(try await answer([.session: "no name"]) == 0)
        #expect(try await answer([.cookie: "drawbridge-session-80=ann"]) == 1)
        #expect(try await answer([.cookie: "x=1; drawbridge-session-80=ann; y=2"]) == 1)
        // Cookies of one port reach all others.
        #expect(try await answer([.cookie: "drawbridge-session-8080=ann"]) == 0)
        #expect(try await answer([.session: "bob", .cookie: "drawbridge-session-80=ann"]) == 0)
    }

    @Test func aPageIsInTheSessionOfItsDocument() async throws {
        let gateway = try await Gateway.replying(#"{"a": 0}"#)
        try gateway.set(LocatedJSON(parsing: Array("1".utf8)), for: "a", in: Self.session("ann"))
        let (ann, other) = (TestPage(gateway, session: "ann"), TestPage(gateway))
        for page in [ann, other] { page.tell(["call": "a", "id": 1, "bridge": "wvjb"]) }
        #expect(try await ann.reply(1)["value"] == 1)
        #expect(try await other.reply(1)["value"] == 0)
        let script = await gateway.respond(
            to: Request("/__drawbridge__/page.js?path=/", headers: [.cookie: "drawbridge-session-80=ann"]))
        #expect(try await script.text().contains(#""session":"ann""#))
        #expect(script.headers[.eTag] != nil)
        let usual = await gateway.respond(to: Request("/__drawbridge__/page.js?path=/"))
        #expect(try await !usual.text().contains(#""session":"#))
        #expect(usual.headers[.eTag] != script.headers[.eTag])
    }

    @Test func aSessionLinkSetsTheSessionCookieAndRedirects() async throws {
        let gateway = Gateway.testing()
        let answer = await gateway.respond(to: Request("/__drawbridge__/session/ann?to=/cart?x=1"))
        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/cart?x=1")
        #expect(answer.headers[.setCookie] == "drawbridge-session-80=ann; Path=/; SameSite=Lax")
        let back = await gateway.respond(to: Request("/__drawbridge__/session/default"))
        #expect(back.headers[.location] == "/")
        #expect(back.headers[.setCookie]?.hasSuffix("Max-Age=0") == true)
    }

    /// Another site could else move a person's browser to mocks that nobody knows of.
    @Test(arguments: ["cross-site", "same-site"])
    func aForeignPageCannotSwitchASession(site: String) async {
        let gateway = Gateway()
        let request = Request(
            "/__drawbridge__/session/ann", headers: [.secFetchSite: site, .secFetchMode: "navigate"])
        #expect(await gateway.respond(to: request).status == .forbidden)
    }

    @Test(arguments: [
        "//evil.example/", #"/\evil.example"#, "http://evil.example/", "cart", "/a%09b", #"/a\..\b"#, "",
        "/a%0d%0aSet-Cookie:%20x=1", "/%09/evil.example",
    ])
    func aSessionLinkLeadsToNoOtherHost(_ to: String) async throws {
        let gateway = Gateway.testing()
        let answer = await gateway.respond(to: Request("/__drawbridge__/session/ann?to=\(to)"))
        #expect(answer.status == .badRequest)
        #expect(answer.headers[.setCookie] == nil)
    }

    /// The cookie is the gateway's own: what lies behind it does not see it.
    @Test func upstreamsDoNotSeeTheSessionCookie() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/cookie") { Response(text: $0.headers[.cookie] ?? "none") }
        let answer = await gateway.respond(
            to: Request("/cookie?_mobile_bridge=1", headers: [.cookie: "a=b; drawbridge-session-80=ann"]))
        #expect(try await answer.text() == "a=b")
    }
}

/// Whole tests of a page, side by side.
@Suite("Parallel tests", .timeLimit(.minutes(5))) struct SideBySideTests {
    private static let text = #"""
        {"replies": {
             "login": {"$reply": {"token": "{{input.user}}"}, "$then": [{"scenario": "user/in"}]},
             "refresh": {"$reply": 1, "$then": [{"scenario": "user/in"}]},
             "expire": {"$reply": 1, "$then": [{"scenario": "user/expired"}]},
             "next": {"$sequence": [1, 2, 3, 4]}
         },
         "scenarios": {
             "user/out": {"getUser": {"$error": {"code": 401}}},
             "user/in": {"getUser": {"$reply": {"nick": "Ann"}}},
             "user/expired": {"getUser": {"$error": {"code": 401, "message": "expired"}}}
         },
         "scenario": "user/out"}
        """#

    /// Signed out, login, calls, 401, refresh, answered: by scenarios alone, and over a reload.
    @Test func eightParallelSessionsDoNotAffectEachOther() async throws {
        let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 5 : 20
        let gateway = Gateway.testing()
        gateway.reply(by: try SessionTests.layers(Self.text))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<rounds {
                        try await Self.live(in: "s\(number)", gateway)
                        gateway.reset(try #require(Session("s\(number)")))
                        if round % 2 == 0 { await Task.yield() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(gateway.replyBook.sessionCount == 0)
    }

    private static func live(in session: String, _ gateway: Gateway) async throws {
        var page = TestPage(gateway, session: session)
        func hear(_ name: String, _ id: Int) async throws -> JSON {
            page.tell([
                "call": .string(name), "id": .number(.init(id)), "bridge": "wvjb", "data": ["user": "ann"],
            ])
            return try await page.reply(id)
        }
        #expect(try await hear("getUser", 1)["error"]?["code"] == 401)
        #expect(try await hear("login", 2)["value"] == ["token": "ann"])
        for id in 3...5 { #expect(try await hear("getUser", id)["value"] == ["nick": "Ann"]) }
        #expect(try await hear("next", 6)["value"] == 1)
        page = TestPage(gateway, session: session)
        #expect(try await hear("getUser", 1)["value"] == ["nick": "Ann"])
        #expect(try await hear("expire", 2)["value"] == 1)
        #expect(try await hear("getUser", 3)["error"]?["message"] == "expired")
        #expect(try await hear("refresh", 4)["value"] == 1)
        #expect(try await hear("getUser", 5)["value"] == ["nick": "Ann"])
        #expect(try await hear("next", 6)["value"] == 2)
    }

    @Test func fiftyParallelCallsOfASessionGetEachStepOfASequenceOnce() async throws {
        let gateway = Gateway.testing()
        let steps = (0..<50).map(String.init).joined(separator: ",")
        gateway.reply(by: try SessionTests.layers(#"{"replies": {"next": {"$sequence": [\#(steps)]}}}"#))
        let found = try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
            for number in 0..<150 {
                group.addTask {
                    let request = Request(
                        "/next?_mobile_bridge=1", headers: [.session: "s\(number % 3)"])
                    let answer = try await gateway.respond(to: request).json()["data"]
                    return (number % 3, answer?.numberValue?.intValue)
                }
            }
            var found: [Int: [Int]] = [:]
            for try await (session, step) in group { found[session, default: []].append(step ?? -1) }
            return found
        }
        for session in 0..<3 { #expect(found[session]?.sorted() == Array(0..<50)) }
    }
}
