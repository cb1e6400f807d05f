import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgePageRuntime

/// A page has one id and several lives: nothing of an old one is taken for something of the new one.
@Suite("The lives of a page", .timeLimit(.minutes(5))) struct PageLivesTests {
    private struct Notes: JSONHandler {
        let notes: NoteBook
        func handle(_ input: JSON) async throws -> JSON {
            notes.add(input)
            return input
        }
    }

    private final class NoteBook: Sendable {
        private let kept = Mutex<[JSON]>([])
        func add(_ note: JSON) { kept.withLock { $0.append(note) } }
        var all: [JSON] { kept.withLock { $0 } }
    }

    private static func gateway() -> (gateway: Gateway, notes: NoteBook) {
        let gateway = PageHandlers.gateway()
        let notes = NoteBook()
        surely { try gateway.register(at: "/note") { Notes(notes: notes) } }
        return (gateway, notes)
    }

    private static func note(_ number: Int, _ data: Int) -> JSON {
        [.number(.init(number)), ["call": "note", "data": .number(.init(data)), "bridge": "wvjb"]]
    }

    /// A page that said two things, heard one, and was given up.
    private static func givenUp(_ gateway: Gateway) async throws -> TestPage {
        let first = TestPage(gateway)
        first.say(["up": [note(1, 1), note(2, 2)]])
        try first.page.send("n")
        first.say(["ack": 1])
        let page = try first.page
        first.leaveWire()
        page.giveUp()
        return first
    }

    @Test func whatIsSentAgainIsAcknowledgedAgainAlsoOverTheNextConnection() {
        let (gateway, notes) = Self.gateway()
        let first = TestPage(gateway)
        first.say(["up": [Self.note(1, 1)]])
        first.say(["up": [Self.note(1, 1)]])
        #expect(first.taken == [1, 1])
        first.leaveWire()
        let second = TestPage(gateway, id: first.id, saysHello: false)
        second.hello(sent: 1)
        second.say(["up": [Self.note(1, 1), Self.note(2, 2)]])
        #expect(second.taken == [2])
        #expect(first.taken == [1, 1])
        #expect(notes.all == [1, 2])
    }

    // MARK: A life that is given up

    @Test(arguments: ["call", "messages"])
    func aPageThatWasGivenUpIsToldSoOnItsNextMessage(_ path: String) async throws {
        let (gateway, notes) = Self.gateway()
        let first = try await Self.givenUp(gateway)
        let said: JSON = ["call": "note", "data": 4, "up": [Self.note(3, 3)]]
        let answer = try await first.post(path, said, sent: 2, received: 1)
        #expect(answer.status == .conflict)
        #expect(answer.body == ["over": 1, "epoch": .string(gateway.pages.epoch)])
        #expect(notes.all == [1, 2])
        #expect(gateway.pages.all.count == 0)

        // Then it begins the next one, in which both sides count from 1 on.
        let next = TestPage(gateway, id: first.id, life: 2, saysHello: false)
        let again = try await next.post(path, ["call": "note", "data": 4, "up": [Self.note(1, 3)]])
        #expect(again.status == .ok)
        #expect(again.body["received"] == 1)
        next.hello(sent: 1)
        #expect(next.welcome?["received"] == 1)
        try next.page.send("n", "new")
        #expect(next.down.map(\.number) == [1])
        next.say(["up": [Self.note(2, 5)]])
        #expect(notes.all.suffix(1) == [5])
        #expect(notes.all.filter { $0 == 3 }.count == 1)
    }

    @Test func aPageThatWasGivenUpIsToldSoWhenItReconnects() async throws {
        let (gateway, _) = Self.gateway()
        let first = try await Self.givenUp(gateway)
        let second = TestPage(gateway, id: first.id, saysHello: false)
        second.hello(received: 1, sent: 2)
        #expect(second.over == 1)
        #expect(second.welcome == nil)
        #expect(second.isClosed)
        #expect(gateway.pages.all.count == 0)
    }

    @Test func aPageInAnUnknownLifeIsToldThatItIsOver() async throws {
        let (gateway, notes) = Self.gateway()
        for (sent, received) in [(1, 0), (0, 1)] {
            let page = TestPage(gateway, life: 7, saysHello: false)
            page.hello(received: received, sent: sent)
            #expect(page.over == 7)
        }
        // Of another store it has received nothing that matters here.
        let page = TestPage(gateway)
        let elsewhere = TestPage(gateway, id: page.id, saysHello: false)
        elsewhere.hello(received: 3, epoch: "elsewhere")
        #expect(elsewhere.over == 1)
        // One that has said and heard nothing may begin with any number.
        #expect(TestPage(gateway, life: 9).welcome != nil)
        #expect(notes.all.isEmpty)
    }

    // MARK: One life after the other

    @Test func theNextLifeOfAPageEndsThePreviousOneAndAnOlderOneIsRefused() async throws {
        let (gateway, notes) = Self.gateway()
        var changes = gateway.pages.makeAsyncIterator()
        let first = TestPage(gateway)
        let old = try first.page
        let answer = Task { try await old.call("share") }
        _ = try await first.message { $0["call"] == "share" }
        let second = TestPage(gateway, id: first.id, life: 2)
        let error = await #expect(throws: PageError.self) { try await answer.value }
        #expect(error == .followed)
        #expect(first.isClosed && !old.isOpen)
        let new = try second.page
        #expect(new !== old && new.isOpen && second.welcome?["received"] == 0)
        #expect(gateway.pages.all.count == 1)

        // What is still under way of the old one is dropped, and not acknowledged.
        first.forget()
        first.say(["up": [Self.note(1, 1)]])
        #expect(first.down.isEmpty)
        let late = TestPage(gateway, id: first.id, saysHello: false)
        late.hello()
        #expect(late.isClosed && late.welcome == nil && late.over == nil)
        #expect(
            try await first.post("messages", ["up": [Self.note(1, 1)], "leaving": true]).status == .conflict)
        // So is a frame of another life over this one's connection.
        second.say(["life": 1, "up": [Self.note(1, 1)]])
        second.say(["up": [Self.note(1, 2)], "life": 3])
        #expect(notes.all.isEmpty)
        second.say(["up": [Self.note(1, 3)]])
        #expect(notes.all == [3])

        var told: [String] = []
        for _ in 0..<3 {
            switch await changes.next() {
            case .came(let page): told.append("came \(page.life)")
            case .went(let page, _): told.append("went \(page.life)")
            case nil: break
            }
        }
        #expect(told == ["came 1", "went 1", "came 2"])
    }

    // MARK: The last words

    @Test func messagesOfALateFarewellAreTakenExactlyOnce() async throws {
        let (gateway, notes) = Self.gateway()
        let test = TestPage(gateway)
        let page = try test.page
        test.say(["up": [Self.note(1, 1)]])
        test.say(["bye": true])
        test.leaveWire()
        page.expire()
        #expect(gateway.pages.all.count == 0)
        for _ in 1...2 {
            _ = try await test.post(
                "messages", ["leaving": true, "up": [Self.note(1, 1), Self.note(2, 2)]], sent: 1)
        }
        #expect(notes.all == [1, 2])
        #expect(gateway.pages.all.count == 0)
    }

    @Test func aFarewellMayBeThePagesFirstMessage() async throws {
        let (gateway, notes) = Self.gateway()
        let test = TestPage(gateway, saysHello: false)
        let farewell: JSON = ["leaving": true, "up": [Self.note(1, 1)]]
        #expect(try await test.post("messages", farewell).status == .ok)
        try test.page.expire()
        _ = try await test.post("messages", farewell)
        #expect(notes.all == [1])
    }

    @Test func aPageThatSaysByeAndComesBackBeginsItsNextLife() async throws {
        let (gateway, _) = Self.gateway()
        let test = TestPage(gateway)
        let page = try test.page
        test.say(["bye": true])
        test.leaveWire()
        let back = TestPage(gateway, id: test.id)
        #expect(back.over == 1 && back.isClosed)
        // Nobody keeps it for ever.
        page.expire()
        #expect(gateway.pages.all.count == 0)
        let next = TestPage(gateway, id: test.id, life: 2)
        #expect(try next.page.isOpen)
    }

    @Test func aPageThatSaysGoodbyeIsRemoved() async throws {
        let (gateway, _) = Self.gateway()
        let test = TestPage(gateway)
        test.say(["bye": true])
        // With its connection, or without.
        _ = TestPage(gateway, id: test.id)
        await until { gateway.pages.all.count == 0 }
    }

    @Test func endedLivesAreRememberedForTenMinutesAndBoundedInNumber() {
        var lives = EndedLives()
        let now = ContinuousClock.now
        lives.add("a", life: 2, last: 5, now: now)
        lives.add("a", life: 1, last: 9, now: now)
        #expect(lives["a"]?.number == 2)
        lives.add("a", life: 3, last: 1, now: now + .seconds(300))
        lives.add("b", life: 1, last: 1, now: now + .seconds(700))
        #expect(lives["a"]?.number == 3)
        lives.add("c", life: 1, last: 1, now: now + .seconds(901))
        #expect(lives["a"] == nil)
        #expect(lives["b"] != nil)
        for number in 0..<25_000 { lives.add("\(number)", life: 1, last: 1, now: now + .seconds(902)) }
        #expect(lives.count == EndedLives.limit)
        #expect(lives["24999"] != nil && lives["14000"] == nil)
    }

    // MARK: Away

    @Test func aReconnectingPageHasTheAddressOfItsMessagesNotOfItsHello() throws {
        let (gateway, _) = Self.gateway()
        let test = TestPage(gateway)
        test.say(["up": [[1, ["url": "http://localhost/moved.html", "title": "Moved"]]]])
        test.leaveWire()
        // A hello tells where the page was before what it says next.
        let back = TestPage(gateway, id: test.id, saysHello: false)
        back.hello(sent: 1, url: "http://localhost/before.html")
        #expect(try test.page.url == "http://localhost/moved.html")
        #expect(try test.page.title == "Moved")
    }

    @Test(arguments: [false, true])
    func aCallToADisconnectedPageFailsEarly(_ isFrozen: Bool) async throws {
        let (gateway, _) = Self.gateway()
        let test = TestPage(gateway)
        let page = try test.page
        if isFrozen { page.freeze() }
        test.leaveWire()
        let error: PageError = isFrozen ? .frozen : .away
        let calls = (0..<3).map { number in
            Task { try await page.call("early", .number(.init(number)), deadline: nil) }
        }
        await until { page.state.withLock { $0.outbox.last } >= 3 }
        try page.send("kept")
        page.expire()
        for call in calls {
            let thrown = await #expect(throws: PageError.self) { try await call.value }
            #expect(thrown == error)
        }
        let late = await #expect(throws: PageError.self) { try await page.call("late", deadline: nil) }
        #expect(late == error)
        #expect(page.presence == (isFrozen ? .frozen : .away))
        // Calls that ended before they left are not made; what nobody waits for waits for the page.
        let back = TestPage(gateway, id: test.id)
        #expect(back.down.map { $0.message["call"] } == [nil, nil, nil, "kept"])
        #expect(page.presence == .here)
        let answer = Task { try await page.call("now") }
        let call = try await back.message { $0["call"] == "now" }
        back.tell(["result": call["id"] ?? .null, "value": 1])
        #expect(try await answer.value == 1)
    }
}
