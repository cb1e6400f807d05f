import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway

/// Pages and native over a channel, without a socket (contract, sections 3 to 7).
@Suite(.timeLimit(.minutes(5))) struct PageTests {
    // MARK: Names that nobody has

    @Test func aNameThatOnlyOtherPagesHaveIsLoggedWithTheirAddresses() async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        try gateway.pages(matching: "/checkout/*") { try $0.register(PageHandlers.Echo.self, at: "/pay") }
        let page = TestPage(gateway)
        page.tell(["call": "pay", "data": 1, "bridge": "wvjb"], ["call": "echo", "data": 1, "id": 1])
        _ = try await page.reply(1)
        let told = "no handler at /pay; pages at /checkout/* have one, but this page is at /a.html"
        #expect(log.entries.contains { $0.contains(told) })
        // The page gets it too, in its console.
        #expect(page.down.contains { $0.message["log"]?.stringValue?.contains(told) == true })
    }

    @Test func aNameThatOnlyOtherPagesHaveAsAMockIsLoggedWithTheirAddresses() async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        let text = #"{"pages": {"/checkout/*": {"replies": {"取得": 1}}}}"#
        let file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)))
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        let page = TestPage(gateway)
        page.tell(["call": "取得", "data": 1, "bridge": "wvjb"], ["call": "echo", "data": 1, "id": 1])
        _ = try await page.reply(1)
        let told = "no handler at /取得; pages at /checkout/* have one, but this page is at /a.html"
        #expect(log.entries.contains { $0.contains(told) }, "\(log.entries)")
        #expect(page.down.contains { $0.message["log"]?.stringValue?.contains(told) == true })
    }

    /// As a synchronous request gets it, and not in an envelope.
    @Test func anIframeGetsAResponseOfAMockAsItIs() async throws {
        let gateway = PageHandlers.gateway()
        try gateway.mock([
            "raw": ["$response": ["json": ["a": 1]]], "text": ["$response": ["body": "hi"]],
            "bad": ["$response": ["status": 500, "body": "no"]], "value": ["a": 1],
        ])
        let page = TestPage(gateway)
        for (id, name) in ["raw", "text", "bad", "value"].enumerated() {
            page.tell(["call": .string(name), "id": .number(.init(id + 1)), "bridge": "iframe"])
            let request = await gateway.respond(to: Request(.post, "/__jsbridge__/\(name)"))
            #expect(try await page.reply(id + 1)["value"] == .string(try await request.text()), "\(name)")
        }
    }

    @Test func aCallWithoutANameGoesToTheHandlerAtTheRoot() async throws {
        let log = LogBook()
        let page = TestPage(PageHandlers.gateway(logger: log.logger))
        page.tell(["call": "", "data": 1, "bridge": "wvjb"], ["call": "echo", "data": 1, "id": 1])
        _ = try await page.reply(1)
        #expect(
            log.entries.contains {
                $0.contains("no handler at /, which gets messages that a page sends without a name")
                    && $0.contains("register one there")
            })
    }

    // MARK: Page to native

    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let data: JSON?
        let reply: JSON
        var testDescription: String { name }
    }

    @Test(arguments: [
        Call(
            name: "echo", data: ["a": [1, "b\u{2028}\u{0}\"\\", .null]],
            reply: ["value": ["a": [1, "b\u{2028}\u{0}\"\\", .null]]]),
        Call(name: "/echo", data: "text", reply: ["value": "text"]),
        Call(name: "echo", data: 5, reply: ["value": 5]),
        Call(name: "nothing", data: nil, reply: ["value": .null]),
        Call(name: "text", data: nil, reply: ["value": "plain \"text\""]),
        Call(name: "stream", data: nil, reply: ["value": "ab"]),
        Call(name: "bytes", data: nil, reply: ["value": "/9gAAQ=="]),
        Call(name: "fail", data: nil, reply: ["error": ["code": 418, "message": "no tea"]]),
    ])
    func aCallbackGetsTheOutputWithoutTheEnvelope(_ call: Call) async throws {
        let page = TestPage(PageHandlers.gateway())
        var message: JSON.Object = ["call": .string(call.name), "id": 7, "bridge": "wvjb"]
        message["data"] = call.data
        page.tell(.object(message))
        var reply = try await page.reply(7).objectValue ?? [:]
        reply["reply"] = nil
        #expect(JSON.object(reply) == call.reply)
    }

    @Test func messagesBothWaysAreInTheDebugLog() async throws {
        let book = LogBook()
        var logger = book.logger
        for (level, isTold) in [(Logger.Level.info, false), (.debug, true)] {
            logger.logLevel = level
            let gateway = Gateway.testing(logger: logger)
            let page = TestPage(gateway)
            let name = "page \(page.id.prefix(8))"
            page.tell(["call": "echo", "data": "from the page", "bridge": "wvjb"])
            try page.page.send("toThePage", .string(String(repeating: "a", count: 1000)))
            let told = book.entries.filter { $0.contains(name) }
            #expect(
                told.contains { $0.hasPrefix("debug: \(name) RCVD ") && $0.contains("from the page") }
                    == isTold)
            #expect(
                told.contains {
                    $0.hasPrefix("debug: \(name) SEND ") && $0.contains("toThePage")
                        && $0.hasSuffix("aaa [...]")
                } == isTold)
        }
    }

    @Test func callsBeginInTheirOrderAndEachOnce() async throws {
        let gateway = PageHandlers.gateway()
        let order = Mutex<[Int]>([])
        struct Notes: JSONHandler {
            let note: @Sendable (Int) -> Void
            func handle(_ input: Int) async throws -> Nothing {
                note(input)
                return Nothing()
            }
        }
        try gateway.register(at: "/note") { Notes { number in order.withLock { $0.append(number) } } }
        let page = TestPage(gateway)
        let calls: [JSON] = (1...1000).map {
            [.number(.init($0)), ["call": "note", "data": .number(.init($0)), "bridge": "wvjb"]]
        }
        page.say(["up": .array(calls)])
        // Again, as after a connection that broke; and one from the future, which is not the next.
        page.say(["up": .array(Array(calls[500...]))])
        page.say(["up": [[2000, ["call": "note", "data": 2000]]]])
        page.say(["up": [[1001, ["call": "note", "data": 1001]]]])
        await until { order.withLock { $0.count } == 1001 }
        #expect(order.withLock { $0 } == Array(1...1001))
    }

    @Test func aCallWithoutAHandlerIsLoggedAndItsCallbackNotCalledByDefault() async throws {
        let silent = TestPage(PageHandlers.gateway())
        silent.tell(
            ["call": "nope", "id": 1, "bridge": "wvjb"], ["call": "nope", "id": 2, "bridge": "shortcut"],
            ["call": "nope", "id": 3, "bridge": "reply"])
        for promise in 2...3 { #expect(try await silent.reply(promise)["error"]?["code"] == 400) }
        let log = try await silent.message { $0["log"] != nil }
        #expect(log["log"]?.stringValue?.contains("no handler at /nope") == true)
        #expect(!silent.down.contains { $0.message["reply"] == 1 })

        let told = TestPage(PageHandlers.gateway(PageRuntime(missing: .answer)))
        told.tell(["call": "nope", "id": 1, "bridge": "wvjb"])
        #expect(try await told.reply(1)["error"] == ["code": 400, "message": "No response"])
    }

    /// A bridge that the gateway does not know is accepted; an invalid name is not, and their number is bounded.
    @Test func aPageMayReportBridgesThatTheGatewayDoesNotKnow() async throws {
        let test = TestPage(PageHandlers.gateway())
        let page = try #require(test.gateway.pages[test.id])
        test.tell(
            ["ready": "theirs-2_b"], ["ready": ""], ["ready": "a b"], ["ready": .string("\u{E9}")],
            ["ready": .string(String(repeating: "a", count: 33))])
        await until { page.bridges.count == 2 }
        #expect(page.bridges.map(\.rawValue).sorted() == ["theirs-2_b", "wvjb"])
        test.tell(["call": "nope", "id": 1, "bridge": "theirs-2_b"])
        let log = try await test.message { $0["log"] != nil }
        #expect(log["log"]?.stringValue?.contains("(called by theirs-2_b)") == true)
        for number in 0..<100 { test.tell(["ready": .string("b\(number)")]) }
        test.tell(["call": "echo", "id": 2, "bridge": "reply"])
        _ = try await test.reply(2)
        #expect(page.bridges.count == 32)
    }

    /// Nothing that a handler says makes its page wait for ever.
    @Test func aHandlersOwn400ReachesThePageWhateverItsHeaders() async throws {
        let gateway = PageHandlers.gateway()
        gateway.answer(at: "/picky") { _ in
            throw HTTPError(.badRequest, "not this", headers: [.hint: "another"])
        }
        let page = TestPage(gateway)
        page.tell(["call": "picky", "id": 1, "bridge": "wvjb"])
        #expect(try await page.reply(1)["error"] == ["code": 400, "message": "not this"])
    }

    @Test func aHandlerMayAnswerSeveralTimes() async throws {
        let page = TestPage(PageHandlers.gateway())
        page.tell(["call": "steps", "id": 3, "bridge": "wvjb"])
        #expect(try await page.reply(3)["value"] == "done")
        #expect(
            page.down.map(\.message) == [
                ["reply": 3, "value": 1, "more": true], ["reply": 3, "value": ["half": 2], "more": true],
                ["reply": 3, "value": "done"],
            ])
    }

    @Test(arguments: ["ownLibrary", "queue", "message", "reply", "iframe"])
    func aBridgeWithOneShotCallbacksGetsOnlyTheLastAnswer(_ bridge: String) async throws {
        let page = TestPage(PageHandlers.gateway())
        page.tell(["call": "steps", "id": 1, "bridge": .string(bridge)])
        _ = try await page.reply(1)
        #expect(page.down.count == 1)
    }

    @Test func aHandlerOfOtherPagesLooksUnregistered() async throws {
        let gateway = PageHandlers.gateway()
        try gateway.pages(matching: "/checkout/*") { try $0.register(PageHandlers.Texts.self, at: "/pay") }
        let shop = TestPage(gateway, url: "http://localhost/checkout/1?a=b#c")
        let other = TestPage(gateway, url: "http://localhost/about")
        for page in [shop, other] { page.tell(["call": "pay", "id": 1, "bridge": "shortcut"]) }
        #expect(try await shop.reply(1)["value"] == "plain \"text\"")
        #expect(try await other.reply(1)["error"]?["code"] == 400)
        #expect(gateway.names(forPageAt: "/checkout/1", in: .usual).contains("pay"))
        #expect(!gateway.names(forPageAt: "/about", in: .usual).contains("pay"))

        // A request of the page's tells itself by id and token, and one without gets the base set.
        let headers: HTTPFields = [.pageID: shop.id, .pageToken: gateway.access.token.text]
        let own = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: headers))
        #expect(own.headers[.hint] == nil)
        // One that never opened a channel says where it is.
        let quiet: HTTPFields = [
            .pageID: String(repeating: "1", count: 32), .pageToken: gateway.access.token.text,
            .pagePath: "/checkout/2",
        ]
        let unknown = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: quiet))
        #expect(unknown.headers[.hint] == nil)
        // So does one whose word of a new address is still under way.
        var moved = quiet
        moved[.pageID] = other.id
        let there = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: moved))
        #expect(there.headers[.hint] == nil)
        moved[.pageToken] = nil
        let unproven = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: moved))
        #expect(unproven.headers[.hint] != nil)
        let foreign = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        #expect(foreign.headers[.hint] != nil)
    }

    @Test func aPageMayHaveHandlersOfItsOwn() async throws {
        let gateway = PageHandlers.gateway()
        let special = TestPage(gateway)
        let other = TestPage(gateway)
        try special.page.handlers.register(PageHandlers.Texts.self, at: "/echo")
        for page in [special, other] { page.tell(["call": "echo", "data": 1, "id": 1, "bridge": "wvjb"]) }
        #expect(try await special.reply(1)["value"] == "plain \"text\"")
        #expect(try await other.reply(1)["value"] == 1)
        try special.page.handlers.unregister("/echo")
        special.tell(["call": "echo", "data": 2, "id": 2, "bridge": "wvjb"])
        #expect(try await special.reply(2)["value"] == 2)
    }

    /// Its body may take longer than its page is there.
    @Test func aRoutingDecisionForAPageIsRepeatedWhenThePageIsGone() throws {
        let gateway = PageHandlers.gateway()
        let special = TestPage(gateway)
        try special.page.handlers.register(PageHandlers.Texts.self, at: "/own")
        let headers: HTTPFields = [.pageID: special.id, .pageToken: gateway.access.token.text]
        let plan = gateway.plan(for: Request(.post, "/own?_mobile_bridge=1", headers: headers))
        guard case .native(_, .likely) = plan.way else {
            Issue.record("the page has a handler there")
            return
        }
        #expect(gateway.kept(plan, with: .empty) != nil)
        try special.page.giveUp()
        #expect(gateway.kept(plan, with: .empty) == nil)
        guard case .native(_, .unknown) = gateway.plan(for: plan.request).way else {
            Issue.record("its handler is gone")
            return
        }
    }

    // MARK: Native to page

    @Test func aCallOfNativeGetsThePagesAnswer() async throws {
        let test = TestPage(PageHandlers.gateway())
        let page = try test.page
        let answer = Task { try await page.call("share", ["a": 1]) }
        let call = try await test.message { $0["call"] == "share" }
        #expect(call["data"] == ["a": 1])
        test.tell(["result": call["id"] ?? .null, "value": ["title": "T"]])
        test.tell(["result": call["id"] ?? .null, "value": "again"], ["result": 99, "value": "nobody"])
        #expect(try await answer.value == ["title": "T"])
    }

    @Test func anErrorInThePageIsThrownToTheCaller() async throws {
        let test = TestPage(PageHandlers.gateway())
        let page = try test.page
        let value = Task { try await page.evaluate("x()") }
        let call = try await test.message { $0["evaluate"] == "x()" }
        test.tell(["result": call["id"] ?? .null, "error": ["code": 500, "message": "x is not defined"]])
        let error = await #expect(throws: PageError.self) { try await value.value }
        #expect(error?.reason == .failed(code: 500))
        #expect(error?.message == "x is not defined")
    }

    @Test func aPageMayCallNativeWhileItIsBeingCalled() async throws {
        let test = TestPage(PageHandlers.gateway())
        test.tell(["call": "ask", "data": ["name": "choose", "data": [1]], "id": 1, "bridge": "wvjb"])
        let call = try await test.message { $0["call"] == "choose" }
        test.tell(["call": "echo", "data": "inner", "id": 2, "bridge": "wvjb"])
        #expect(try await test.reply(2)["value"] == "inner")
        test.tell(["result": call["id"] ?? .null, "value": 5])
        #expect(try await test.reply(1)["value"] == 5)
    }

    @Test func aDeadlineEndsACall() async throws {
        let test = TestPage(PageHandlers.gateway())
        let error = await #expect(throws: PageError.self) {
            try await test.page.call("share", deadline: .milliseconds(50))
        }
        #expect(error?.reason == .deadline)
    }

    // MARK: Coming, breaking, leaving

    /// A connection that was replaced may still be read: what is taken from it, the page hears on the new one.
    @Test func theNewConnectionHearsWhatTheOldOneBrought() async throws {
        let gateway = Gateway.testing()
        try gateway.register(PageHandlers.Echo.self, at: "/echo")
        let old = TestPage(gateway)
        let new = TestPage(gateway, id: old.id)
        old.tell(["data": 1, "call": "echo"])
        #expect(old.taken == [] && new.taken == [1])
    }

    @Test func unacknowledgedMessagesAreSentAgainOnTheNextConnection() async throws {
        let gateway = PageHandlers.gateway()
        let first = TestPage(gateway)
        first.hearsNothing()
        let page = try first.page
        for number in 1...5 { try page.send("n", .number(.init(number))) }
        first.say(["ack": 2])
        first.leaveWire()
        try page.send("n", 6)
        let second = TestPage(gateway, id: first.id, saysHello: false)
        second.hello(received: 3)
        try page.send("n", 7)
        #expect(second.welcome?["received"] == 0)
        #expect(second.down.map(\.number) == [4, 5, 6, 7])
        #expect(try first.page === page)
    }

    @Test func aSecondConnectionOfAPageTakesThePlaceOfTheFirst() throws {
        let gateway = PageHandlers.gateway()
        let first = TestPage(gateway)
        let second = TestPage(gateway, id: first.id)
        #expect(first.isClosed)
        first.leaveWire()
        try first.page.send("a")
        #expect(second.down.count == 1)
        #expect(gateway.pages.all.count == 1)
    }

    @Test func callsFromAndToAPageEndWhenItLeaves() async throws {
        let gateway = PageHandlers.gateway()
        struct Waits: JSONHandler {
            let stopped: @Sendable () -> Void
            func handle(_ input: JSON?) async throws -> Nothing {
                try? await Task.sleep(for: .seconds(60))
                stopped()
                return Nothing()
            }
        }
        let stopped = Mutex(false)
        try gateway.register(at: "/wait") { Waits { stopped.withLock { $0 = true } } }
        let test = TestPage(gateway)
        let page = try test.page
        test.tell(["call": "wait", "id": 1, "bridge": "wvjb"])
        let answer = Task { try await page.call("share") }
        _ = try await test.message { $0["call"] == "share" }
        #expect(try await test.post("messages", ["up": [], "leaving": true], sent: 1).status == .ok)
        let error = await #expect(throws: PageError.self) { try await answer.value }
        #expect(error?.reason == .closed)
        #expect(throws: PageError.self) { try page.send("late") }
        #expect(!page.isOpen)
        #expect(gateway.pages.all.count == 0)
        for _ in 0..<1000 where !stopped.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
        #expect(stopped.withLock { $0 })
    }

    @Test(arguments: [(false, PageError.Reason.lost), (true, .frozen)])
    func aPageThatDoesNotComeBackIsGivenUp(_ isFrozen: Bool, _ reason: PageError.Reason) async throws {
        let test = TestPage(PageHandlers.gateway())
        let page = try test.page
        let answer = Task { try await page.call("share") }
        _ = try await test.message { $0["call"] == "share" }
        if isFrozen { page.freeze() }
        test.leaveWire()
        // First whoever waits is told, and then the page is given up.
        page.expire()
        #expect(page.isOpen)
        #expect(page.presence == (isFrozen ? .frozen : .away))
        page.expire()
        #expect(!page.isOpen)
        let error = await #expect(throws: PageError.self) { try await answer.value }
        #expect(error?.reason == reason)
    }

    @Test func pagesThatComeAndGoAreReported() async throws {
        let gateway = PageHandlers.gateway()
        let early = TestPage(gateway)
        var changes = gateway.pages.makeAsyncIterator()
        let late = TestPage(gateway)
        try late.page.end(PageError(.closed, "over"))
        var told: [String] = []
        for _ in 0..<3 {
            switch await changes.next() {
            case .came(let page): told.append("came \(page.id)")
            case .went(let page, let error): told.append("went \(page.id) \(error)")
            case nil: break
            }
        }
        #expect(told == ["came \(early.id)", "came \(late.id)", "went \(late.id) over"])
    }

    @Test(arguments: [
        #"[]"#, #"{"#, #"{"up":[]}"#, #"{"hello":{}}"#, #"{"hello":{"page":"../../etc"}}"#,
        #"{"hello":{"page":"0123456789ABCDEF0123456789ABCDEF"}}"#,
    ])
    func aFirstMessageThatIsNotAHelloClosesTheConnection(_ text: String) throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway, saysHello: false)
        ChannelReader(gateway, Request("/")).receive(Array(text.utf8), on: test)
        #expect(test.isClosed)
        #expect(gateway.pages.all.count == 0)
    }

    /// A closure that is all that a lock holds is wrapped once more each time that somebody looks at it.
    ///
    /// Who calls it then goes through as many functions as there were pages, and so does who lets go of it.
    @Test func addingPagesDoesNotNestTheMemoryCallback() throws {
        final class Share: WaitingMemory {
            func change(to count: Int) -> Bool { true }
            func changeAnyway(to count: Int) {}
        }
        let places = Mutex<[UInt]>([])
        let pages = Pages()
        pages.count {
            var here = 0
            withUnsafeMutablePointer(to: &here) { place in
                places.withLock { $0.append(UInt(bitPattern: place)) }
            }
            return Share()
        }
        for _ in 0..<1000 { #expect(pages.makeMemory() != nil) }
        let found = places.withLock { $0 }
        #expect(found.count == 1000)
        #expect(try #require(found.max()) - #require(found.min()) < 4096)
    }

    /// Few pages look at the errors that their callbacks are given.
    @Test func theReasonForRefusedInputIsInThePagesConsole() async throws {
        struct Wants: JSONHandler {
            struct Input: Decodable { var seat: Int }
            func handle(_ input: Input) async throws -> Int { input.seat }
        }
        let gateway = Gateway.testing()
        try gateway.register(Wants.self, at: "/wants")
        try gateway.mock(["mocked": ["$error": ["code": 400, "message": "as in the app"]]])
        let page = TestPage(gateway)
        page.tell(["call": "mocked", "id": 1, "bridge": "wvjb"])
        _ = try await page.reply(1)
        page.tell(["call": "wants", "id": 2, "bridge": "wvjb", "data": ["seat": "a"]])
        #expect(try await page.reply(2)["error"]?["code"] == 400)
        let told = page.down.compactMap { $0.message["log"]?.stringValue }
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("wants: 400 seat") == true, "\(told)")
    }

    /// A page may read any number of names in vain, and says of each what it likes: few are kept, and none is answered.
    @Test func atMostFiftyMissingNativeNamesThatAPageReadAreKept() async throws {
        let gateway = PageHandlers.gateway(PageRuntime(shortcuts: ["MyApp"]))
        try gateway.mock(["*": ["$cases": [["$when": ["a": 1], "$reply": 1]]], "gone": ["$missing": true]])
        let page = TestPage(gateway)
        let odd: [JSON] = [
            ["missed": "", "of": "MyApp"], ["missed": "a"], ["missed": 1, "of": "MyApp"],
            ["missed": .string(String(repeating: "a", count: 101)), "of": "MyApp"],
        ]
        for message in odd { page.tell(message) }
        for number in 0..<200 {
            for _ in 0..<2 { page.tell(["missed": .string("name\(number)"), "of": "MyApp"]) }
        }
        let missed = try #require(gateway.pages[page.id]).state.withLock { $0.missed }
        #expect(missed.map(\.text) == (0..<50).map { "MyApp.name\($0)" })
        let told = page.down.compactMap { $0.message["log"]?.stringValue }
        #expect(told.count == 50)
        #expect(
            told.first?.contains(
                "This page looked for MyApp.name0, which does not exist: only a pattern answers it, and pages get no names from patterns"
            ) == true, "\(told)")
    }

    /// A person pastes what the log says into a file or a shell, and a page may read any name of any object.
    @Test func onlyNamesThatASettingCanHaveAreSuggested() throws {
        let runtime = PageRuntime(replyHandlers: ["ask"], shortcuts: ["MyApp"])
        let gateway = PageHandlers.gateway(runtime, keepsJournal: true)
        gateway.configure { $0.pageFile = ("shop/drawbridge.json", []) }
        let page = TestPage(gateway)
        let handlers: JSON = "webkit.messageHandlers"
        for name in ["a$(touch x)", "__proto__", "a\u{202E}b", "a\"]", "1"] {
            page.tell(["missed": .string(name), "of": handlers], ["missed": .string(name), "of": "://"])
        }
        page.tell(["missed": "https", "of": "://"], ["missed": "JavaScript", "of": "://"])
        page.tell(["missed": "scan", "of": "it is safe to run x; MyApp"])
        page.tell(["fault": "error", "message": "a$(touch x) is not defined"])
        #expect(page.down.compactMap { $0.message["log"] }.isEmpty)
        #expect(gateway.missing().isEmpty)

        page.tell(["missed": "scan", "of": handlers], ["missed": "echo", "of": handlers])
        page.tell(["missed": "echo", "of": "MyApp"], ["missed": "Mizhua", "of": "://"])
        page.tell(["fault": "error", "message": "Uncaught ReferenceError: callNative is not defined"])
        page.tell(["fault": "error", "message": "total is not defined"])
        let told = page.down.compactMap { $0.message["log"]?.stringValue }
        #expect(
            told == [
                """
                This page looked for webkit.messageHandlers.scan. To give it: "message-handler": ["JSBridge", "ask=reply", \
                "scan"], and a mock "scan"
                """,
                """
                This page looked for webkit.messageHandlers.echo. To give it: "message-handler": ["JSBridge", "ask=reply", \
                "scan", "echo"]
                """,
                "This page looked for MyApp.echo, which does not exist: it was added after the page was loaded; reload the page",
                """
                This page opened mizhua://, and nothing takes it. If it is its app's scheme: add "scheme": ["mizhua"] to \
                shop/drawbridge.json
                """,
                """
                This page failed without callNative(). If its app has it: add "inject": ["callNative"] to shop/drawbridge.json
                """,
            ])

        // What a flag says is not in the file's hands.
        gateway.configure { $0.pageFile = ("drawbridge.json", ["message-handler"]) }
        let other = TestPage(gateway, url: "http://localhost/other.html")
        other.tell(["missed": "pay", "of": handlers])
        #expect(
            other.down.compactMap { $0.message["log"]?.stringValue } == [
                #"This page looked for webkit.messageHandlers.pay. To give it: --message-handler pay, and a mock "pay""#
            ])
        #expect(gateway.missing().count == 4)
        #expect(gateway.missingFlags == ["--message-handler pay"])
    }

    /// What is given meanwhile is told of no more, and what is taken away again is missing.
    @Test func whatPagesAreGivenSinceIsNotMissing() throws {
        let gateway = PageHandlers.gateway(keepsJournal: true)
        gateway.configure { $0.pageFile = ("drawbridge.json", []) }
        let notices = { gateway.journal.read(RecordFilter(kinds: [.notice])).records }
        for (path, told) in [("a.html", 2), ("a.html?again", 3), ("b.html", 2)] {
            let page = TestPage(gateway, url: "http://localhost/\(path)")
            page.tell(["missed": "tracker", "of": "webkit.messageHandlers"])
            page.tell(["fault": "error", "message": "dsBridge is not defined"])
            page.tell(["fault": "error", "message": "_dsbridge is not defined"])
            // Once it is known that the page wants the bridge, it is told of its own half, too.
            #expect(page.down.compactMap { $0.message["log"] }.count == told)
        }
        #expect(
            notices().compactMap(\.gives?.members) == [
                ["message-handler": ["tracker"]], ["bridge": ["dsbridge"]], ["message-handler": ["tracker"]],
                ["bridge": ["dsbridge"]],
            ], "once for each path")
        gateway.give(PageRuntime(messageHandlers: ["tracker"]))
        #expect(notices().compactMap(\.gives?.isGiven) == [true, false, true, false])
        #expect(gateway.missing().map(\.members) == [["bridge": ["dsbridge"]]])
        gateway.give(PageRuntime())
        #expect(gateway.missing().count == 2)
    }
}
