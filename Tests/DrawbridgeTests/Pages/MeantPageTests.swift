import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway

/// Which page of several gets what native does, where nobody names one, and by which names one is found.
@Suite("The target page of an event", .timeLimit(.minutes(5))) struct MeantPageTests {
    /// Pages at the same time: the one that is meant most comes first.
    enum Kind: Int, CaseIterable {
        case main, popup, frame, tab

        /// What its greeting says.
        var said: JSON.Object {
            switch self {
            case .main: [:]
            case .popup: ["opened": true]
            case .frame: ["frame": true]
            case .tab: ["hidden": true]
            }
        }
    }

    private static func orders(of kinds: [Kind]) -> [[Kind]] {
        guard kinds.count > 1 else { return [kinds] }
        return kinds.flatMap { first in orders(of: kinds.filter { $0 != first }).map { [first] + $0 } }
    }

    /// A deadline that no test waits for.
    private static let never = Duration.seconds(24 * 3600)

    private static func program() throws -> JournalProgram {
        let file = try ReplyFile(
            LocatedJSON(
                parsing: Array(
                    #"""
                    {"replies": {"pay": {"$reply": 1, "$then": [{"call": "onPaid"}]}},
                     "events": {"push": [{"call": "onPush"}], "news": [{"emit": "news"}]}}
                    """#.utf8)))
        let gateway = Gateway(keepsJournal: true)
        gateway.pages.patience = never
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        return JournalProgram(gateway)
    }

    /// Whether a page was called by a name, or told an event of that name.
    private static func heard(_ name: String) -> @Sendable (JSON) -> Bool {
        { $0["call"]?.stringValue == name || $0["event"]?.stringValue == name }
    }

    /// What native does: the name by which a page is told of it, and what a program asks for it.
    static let ways = [
        ("onPush", "events/push", ""), ("news", "events/news", ""), ("news", "events/news?page=latest", ""),
        ("share", "pages/latest/send", #"{"name": "share"}"#),
        ("share", "pages/latest/send", #"{"name": "share", "by": "wvjb"}"#),
        ("shown", "pages/latest/emit", #"{"event": "shown"}"#), ("onPaid", "calls", #"{"name": "pay"}"#),
    ]

    @Test(arguments: ways.indices) func theTargetPageDoesNotDependOnTheOrderOfConnecting(_ way: Int)
        async throws
    {
        let (name, target, body) = Self.ways[way]
        for order in Self.orders(of: Kind.allCases) {
            let program = try Self.program()
            let pages = order.map { TestPage(program.gateway, saying: $0.said) }
            let owners: [[Kind]] =
                [[], Kind.allCases, [.popup, .frame], [.tab, .frame]] + Kind.allCases.map { [$0] }
            for owners in owners {
                for (kind, page) in zip(order, pages) {
                    page.has(owners.contains(kind) ? [name] : [])
                    page.forget()
                }
                let answer = await program.ask(.post, target, body)
                #expect(answer.status == .ok)
                let meant = owners.min { $0.rawValue < $1.rawValue } ?? .main
                _ = try await pages[order.firstIndex(of: meant) ?? 0].message(Self.heard(name))
                var hearing: [Kind] = []
                for (kind, page) in zip(order, pages) where page.hasHeard(name) { hearing.append(kind) }
                #expect(hearing == [meant], "\(name), in the order \(order), had by \(owners)")
            }
        }
    }

    @Test func amongEqualPagesTheNewestVisibleOneIsTheTarget() async throws {
        let program = try Self.program()
        let (first, second) = (TestPage(program.gateway), TestPage(program.gateway))
        #expect(try await Self.found(program, "latest") == ["200", second.id])
        second.tell(["url": "http://localhost/b.html", "title": "B", "hidden": true])
        #expect(try await Self.found(program, "latest") == ["200", first.id])
        first.tell(["hidden": true])
        #expect(try await Self.found(program, "latest") == ["200", second.id])
        first.tell(["hidden": false])
        // In its next life a page says anew what it is.
        first.leaveWire()
        try first.page.giveUp()
        #expect(try await Self.found(program, "latest") == ["200", second.id])
        let again = TestPage(program.gateway, id: first.id, life: 2, saying: ["frame": true])
        #expect(try await Self.found(program, "latest") == ["200", again.id])
        second.tell(["hidden": false])
        #expect(try await Self.found(program, "latest") == ["200", second.id])
        let listed = try await program.ask(.get, "pages").json()["data"]?.arrayValue ?? []
        #expect(listed.map { $0["frame"] } == [true, false] && listed.allSatisfy { $0["opened"] == false })
        #expect(listed.map { $0["hidden"] } == [false, false])
        // It is here, and shown, since then, and not since it came.
        let page = try second.page
        #expect(page.state.withLock(\.since) > page.came)
    }

    @Test func stepsAfterAnAnswerGoToThePageThatCalled() async throws {
        let program = try Self.program()
        let (main, frame) = (TestPage(program.gateway), TestPage(program.gateway, saying: ["frame": true]))
        main.has(["onPaid"])
        frame.tell(["call": "pay", "id": 1, "bridge": "wvjb"])
        _ = try await frame.message(Self.heard("onPaid"))
        // One that has no channel cannot hear it, and no other page has called.
        let gateway = program.gateway
        let headers: HTTPFields = [
            .pageID: String(repeating: "a", count: 32), .pageToken: gateway.access.token.text, .pagePath: "/",
        ]
        let response = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: headers))
        #expect(response.status == .ok)
        response.afterwards?()
        await until { gateway.replySteps.count == 0 }
        #expect(!main.hasHeard("onPaid"))
    }

    // MARK: Those that do not answer

    @Test func anEventGoesToTheLikeliestPageWithoutWaitingForOthers() async throws {
        let program = try Self.program()
        let (main, tab) = (TestPage(program.gateway), TestPage(program.gateway, saying: ["hidden": true]))
        tab.hearsNothing()
        main.has(["onPush"])
        #expect(await program.ask(.post, "events/push").status == .ok)
        #expect(main.hasHeard("onPush"))
        let asked = try tab.page
        await until { asked.state.withLock { $0.calls.isEmpty } }
    }

    @Test func anEventSkipsAPageThatLeavesBeforeItAnswers() async throws {
        let program = try Self.program()
        let (main, popup) = (TestPage(program.gateway), TestPage(program.gateway, saying: ["opened": true]))
        main.hearsNothing()
        popup.has(["onPush"])
        let answer = Task { await program.ask(.post, "events/push").status }
        _ = try await main.message { $0["has"] == "onPush" }
        try main.page.giveUp()
        #expect(await answer.value == .ok)
        #expect(popup.hasHeard("onPush"))
    }

    @Test func anEventSkipsAPageThatAnswersTooLate() async throws {
        let program = try Self.program()
        program.gateway.pages.patience = .milliseconds(1)
        let (main, popup) = (TestPage(program.gateway), TestPage(program.gateway, saying: ["opened": true]))
        main.hearsNothing()
        popup.hearsNothing()
        let answer = Task {
            await program.ask(.post, "pages/latest/call", #"{"name": "share"}"#).status
        }
        let call = try await main.message(Self.heard("share"))
        main.tell(["result": call["id"] ?? .null, "value": 1])
        #expect(await answer.value == .ok)
    }

    @Test func aResetEndsAnEventThatStillAsksPages() async throws {
        let program = try Self.program()
        let pages = [TestPage(program.gateway), TestPage(program.gateway)]
        for page in pages { page.hearsNothing() }
        let answer = Task { await program.ask(.post, "events/push").status }
        _ = try await pages[0].message { $0["has"] == "onPush" }
        program.gateway.reset(.usual)
        #expect(await answer.value == .gone)
        #expect(!pages.contains { $0.hasHeard("onPush") })
    }

    // MARK: Those that are named

    /// What a program meets by a name: the status, and the ids of pages.
    private static func found(
        _ program: JournalProgram, _ target: String, session: String? = nil
    ) async throws -> [String] {
        var headers: HTTPFields = [:]
        headers[.session] = session
        let answer = await program.ask(.get, "pages/\(target)", headers: headers)
        let data = try await answer.json()["data"]
        let pages = data?.arrayValue ?? data.map { [$0] } ?? []
        return ["\(answer.status.code)"] + pages.compactMap { $0["id"]?.stringValue }
    }

    @Test func aPageIsFoundByItsPathWithinItsSession() async throws {
        let program = try Self.program()
        let cart = TestPage(program.gateway, url: "http://localhost/cart?item=1#top")
        let ann = TestPage(program.gateway, url: "http://localhost/cart", session: "ann")
        let coffee = TestPage(program.gateway, url: "http://localhost/caf%C3%A9/1")
        for (target, session, id) in [
            ("%2Fcart", nil, cart.id), ("%2Fcart", "default", cart.id), ("%2Fcart", "ann", ann.id),
            ("%2Fcart?session=ann", nil, ann.id), (ann.id, "ann", ann.id), (ann.id, nil, ann.id),
            ("%2Fcaf%C3%A9%2F1", nil, coffee.id), ("%2Fcaf%25C3%25A9%2F1", nil, coffee.id),
        ] as [(String, String?, String)] {
            let found = try await Self.found(program, target, session: session)
            #expect(found == ["200", id], "\(target) in \(session ?? "none")")
        }
        for (target, session) in [
            (cart.id, "ann"), (ann.id, "default"), ("%2F", nil), ("%2Fcar", nil), ("%2Fcart", "bob"),
        ] as [(String, String?)] {
            #expect(try await Self.found(program, target, session: session) == ["404"], "\(target)")
        }
        let refusal = try await program.ask(.get, "pages/%2Fcart?session=bob").json()
        let message = refusal["message"]?.stringValue
        #expect(message?.hasPrefix("there is no page /cart in session bob; GET") == true)
        for page in [cart, coffee] {
            page.tell(["call": "echo", "id": 1, "data": 1, "bridge": "wvjb"])
            _ = try await page.reply(1)
        }
        let calls = try await program.calls("?kind=call&page=/cart")
        #expect(calls.map { $0["page"]?["id"]?.stringValue } == [cart.id])
        // An event by the path, though another page is newer.
        #expect(await program.ask(.post, "events/push?page=/cart").status == .ok)
        #expect(cart.hasHeard("onPush"))
        #expect(await program.ask(.post, "events/push?page=/cart&session=bob").status == .notFound)
    }

    @Test func aPathOfTwoPagesIsAConflictThatListsThem() async throws {
        let program = try Self.program()
        let url = "http://localhost/cart"
        let first = TestPage(program.gateway, url: url)
        let second = TestPage(program.gateway, url: url, saying: ["frame": true])
        #expect(try await Self.found(program, "%2Fcart") == ["409", second.id, first.id])
        for (target, body) in [
            ("events/push?page=/cart", ""), ("pages/%2Fcart/send", #"{"name": "share"}"#),
            ("pages/%2Fcart/emit", #"{"event": "shown"}"#), ("pages/%2Fcart/call", #"{"name": "share"}"#),
        ] { #expect(await program.ask(.post, target, body).status == .conflict, "\(target)") }
        #expect(!(first.down + second.down).map(\.message).contains { $0["has"] == nil })
        // A page that is loaded anew says that it leaves, and is there still for a moment.
        first.say(["bye": true])
        #expect(try await Self.found(program, "%2Fcart") == ["200", second.id])
        try second.page.freeze()
        second.leaveWire()
        let third = TestPage(program.gateway, url: url)
        #expect(try await Self.found(program, "%2Fcart") == ["200", third.id])
    }

    /// A frame, a popup or a hidden tab is not a reason to ask in which page a script is to run.
    @Test func aScriptRunsInTheTargetPage() async throws {
        let program = try Self.program()
        let pages = Kind.allCases.reversed().map { TestPage(program.gateway, saying: $0.said) }
        let main = try #require(pages.last)
        let script = #"{"script": "1"}"#
        let answer = Task { try await program.ask(.post, "pages/latest/evaluate", script).json() }
        let evaluate = try await main.message { $0["evaluate"] == "1" }
        main.tell(["result": evaluate["id"] ?? .null, "value": 1])
        #expect(try await answer.value["page"]?["id"]?.stringValue == main.id)
    }
}

extension TestPage {
    /// Whether it was called by this name, or told an event of it.
    fileprivate func hasHeard(_ name: String) -> Bool {
        down.contains { $0.message["call"]?.stringValue == name || $0.message["event"]?.stringValue == name }
    }
}
