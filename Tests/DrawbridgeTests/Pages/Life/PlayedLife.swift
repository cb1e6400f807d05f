import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages

/// A page's life, played by chance from a seed, and what the manual says of it.
final class PlayedLife {
    private struct Note: JSONHandler {
        let began: Began

        func handle(_ input: Int) async throws -> Int {
            began.add(input)
            return input
        }
    }

    /// The calls that began, over all gateways of a life.
    private final class Began: Sendable {
        private let calls = Mutex<[Int]>([])
        func add(_ call: Int) { calls.withLock { $0.append(call) } }
        var all: [Int] { calls.withLock { $0 } }
    }

    /// How native's calls ended.
    private final class Answers: Sendable {
        private let ends = Mutex<[Int: [Result<JSON, PageError>]]>([:])
        func add(_ call: Int, _ end: Result<JSON, PageError>) {
            ends.withLock { $0[call, default: []].append(end) }
        }
        subscript(call: Int) -> [Result<JSON, PageError>] { ends.withLock { $0[call] ?? [] } }
    }

    /// What pages take of a server's memory, over all gateways and lives.
    final class Room: Sendable {
        private let bytes = Mutex(0)
        var count: Int { bytes.withLock { $0 } }
        func add(_ more: Int) { bytes.withLock { $0 += more } }
    }

    /// One page's share of it, in one direction.
    private final class Share: WaitingMemory {
        private let room: Room
        private let bytes = Mutex(0)

        init(of room: Room) { self.room = room }

        deinit { room.add(-bytes.withLock { $0 }) }

        func change(to count: Int) -> Bool {
            changeAnyway(to: count)
            return true
        }

        func changeAnyway(to count: Int) {
            let more = bytes.withLock { bytes in
                defer { bytes = count }
                return count - bytes
            }
            room.add(more)
        }
    }

    private var dice: SeededRandom
    private var gateway: Gateway
    private let page: PlayedPage
    private let fault: LifeFault?
    private let began = Began()
    private let room: Room
    private let answers = Answers()
    private var lastCall = 0
    private var lastSent = 0
    private var nativeCalls: [(number: Int, task: Task<Void, Never>)] = []
    /// What happened, for whoever looks for the reason.
    private(set) var story: [String] = []
    private var hasLeft = false

    init(seed: UInt64, fault: LifeFault? = nil, in room: Room = Room()) {
        self.room = room
        var dice = SeededRandom(seed: seed)
        let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &dice), radix: 16) }
        self.dice = dice
        self.fault = fault
        gateway = Self.gateway(began, room)
        page = PlayedPage(gateway, id: digits.joined(), fault: fault)
    }

    private static func gateway(_ began: Began, _ room: Room) -> Gateway {
        let gateway = Gateway(logger: .quiet)
        gateway.pages.count { Share(of: room) }
        surely { try gateway.register(at: "/note") { Note(began: began) } }
        return gateway
    }

    /// Plays it, and gives what does not hold.
    func play() async -> String? {
        for _ in 0..<Int.random(in: 5...40, using: &dice) where !hasLeft {
            await step()
            await settle()
            if let wrong = wrongInOrder() { return wrong }
        }
        let end = hasLeft ? await farewell() : await comesHome()
        gateway.pages.end(.lost)
        for call in nativeCalls { await call.task.value }
        return end ?? wrongInOrder()
            ?? nativeCalls.lazy.compactMap { call in
                self.answers[call.number].count == 1 ? nil : "native's call \(call.number) did not end once"
            }.first
    }

    // MARK: Events

    private func step() async {
        let isHeard = Int.random(in: 0..<10, using: &dice) > 0
        switch Int.random(in: 0..<100, using: &dice) {
        case ..<18:
            guard !page.isGone else { return }
            lastCall += 1
            tell("call \(lastCall)")
            page.call(lastCall)
        case ..<26:
            guard !page.isGone else { return }
            lastCall += 1
            tell("call \(lastCall) now\(isHeard ? "" : ", unheard")")
            await page.callNow(lastCall, isHeard: isHeard)
        case ..<31:
            guard !page.isGone else { return }
            tell("flush now\(isHeard ? "" : ", unheard")")
            await page.flushNow(isHeard: isHeard)
        case ..<45:
            let count = Int.random(in: 1...4, using: &dice)
            tell("\(count) frames arrive")
            page.wire?.carry(count)
        case ..<59:
            let count = Int.random(in: 1...4, using: &dice)
            tell("\(count) frames are heard")
            page.hear(count)
        case ..<64: callPage(isAnswered: true)
        case ..<68: callPage(isAnswered: false)
        case ..<72:
            tell("the wire breaks")
            page.breakWire()
        case ..<76:
            tell("a wire that broke is seen to")
            page.endLeft(carrying: Int.random(in: 0...5, using: &dice))
        case ..<80:
            tell("connects")
            page.connect()
        case ..<84:
            tell("leaves, kept for Back")
            page.leave(forGood: false)
        case ..<88:
            tell("is back")
            page.comeBack()
        case ..<91:
            tell("a farewell arrives")
            _ = await page.deliverBeacon(first: Bool.random(using: &dice))
        case ..<94:
            tell("time passes")
            passTime(1)
        case ..<97:
            tell("it is given up")
            passTime(3)
        case ..<98:
            tell("the gateway is started again")
            restart()
        default:
            guard page.wire != nil else { return }
            tell("leaves for good")
            page.leave(forGood: true)
            hasLeft = true
        }
    }

    private func tell(_ event: String) { story.append(event) }

    private func callPage(isAnswered: Bool) {
        guard let page = gateway.pages.all.first else { return }
        lastSent += 1
        let number = lastSent
        tell("native \(isAnswered ? "calls" : "sends") \(number)")
        guard isAnswered else {
            // One that has gone needs none.
            try? page.send("note", .number(.init(number)))
            return
        }
        let task = Task.immediate { [answers] in
            do {
                answers.add(
                    number, .success(try await page.call("note", .number(.init(number)), deadline: nil)))
            } catch {
                answers.add(number, .failure(error as? PageError ?? .lost))
            }
        }
        nativeCalls.append((number, task))
    }

    /// Wires that broke are seen to, and clocks go on.
    private func passTime(_ times: Int) {
        while !page.left.isEmpty { page.endLeft(carrying: 0) }
        for page in gateway.pages.all {
            for _ in 0..<times { page.expire() }
        }
        if fault != nil { gateway.pages.forgetEndedLives() }
    }

    private func restart() {
        gateway.pages.end(PageError(.stopped, "stopped"))
        gateway = Self.gateway(began, room)
        page.meet(gateway)
        page.breakWire()
        while !page.left.isEmpty { page.endLeft(carrying: 0) }
    }

    /// Handlers that began have answered.
    private func settle() async {
        // Thousands of times in a test, and nearly always at once: so it yields first.
        await Task.yield()
        await until { [gateway] in
            !gateway.pages.all.contains { page in page.state.withLock { !$0.running.isEmpty } }
        }
        if fault != nil { gateway.pages.forgetEndedLives() }
    }

    // MARK: What holds

    /// Calls begin in the order in which they were made, and once; so is what native sent applied.
    private func wrongInOrder() -> String? {
        for (what, numbers) in [("began", began.all), ("were applied", page.applied)] {
            for (one, next) in zip(numbers, numbers.dropFirst()) where next <= one {
                return "\(next) and \(one) \(what) in the order \(numbers)"
            }
        }
        for (call, ends) in page.ends {
            if ends.count > 1 { return "call \(call) ended \(ends)" }
            if case .value(let value)? = ends.first, value != call || !began.all.contains(call) {
                return "call \(call) ended \(ends) and began: \(began.all.contains(call))"
            }
        }
        return nil
    }

    /// The page is shown and connected: every call ends, and calls go both ways.
    private func comesHome() async -> String? {
        tell("comes home")
        page.comeBack()
        for _ in 0..<6 { await exchange() }
        let (byChannel, byRequest) = (lastCall + 1, lastCall + 2)
        lastCall += 2
        page.call(byChannel)
        await page.callNow(byRequest, isHeard: true)
        for _ in 0..<3 { await exchange() }
        callPage(isAnswered: true)
        for _ in 0..<3 { await exchange() }
        for call in 1...lastCall where page.ends[call]?.count != 1 {
            return "call \(call) of \(lastCall) ended \(page.ends[call] ?? [])"
        }
        for call in [byChannel, byRequest] where page.ends[call] != [.value(call)] {
            return "call \(call), with all well again, ended \(page.ends[call] ?? [])"
        }
        let isWaiting = gateway.pages.all.contains { page in page.state.withLock { !$0.calls.isEmpty } }
        guard !isWaiting, let last = nativeCalls.last, last.number == lastSent else {
            return "native's call \(lastSent), with all well again, waits"
        }
        await last.task.value
        guard case .success(let value)? = answers[lastSent].first, value == .number(.init(lastSent)) else {
            return "native's call \(lastSent), with all well again, ended \(answers[lastSent])"
        }
        return nil
    }

    private func exchange() async {
        page.connect()
        page.wire?.carry(.max >> 32)
        await settle()
        page.hear(1000)
        await settle()
    }

    /// The page has gone, and its last word arrives, late perhaps: what it said is done, once.
    private func farewell() async -> String? {
        if Bool.random(using: &dice) {
            tell("the wire is seen to")
            while !page.left.isEmpty {
                page.endLeft(carrying: Bool.random(using: &dice) ? 100 : Int.random(in: 0...2, using: &dice))
            }
        }
        if Bool.random(using: &dice) {
            tell("the page is given up")
            passTime(3)
        }
        let isKnownHere = page.epoch == gateway.pages.epoch
        tell("the farewell arrives")
        _ = await page.deliverBeacon(first: false)
        await settle()
        guard isKnownHere else { return nil }
        for call in 1..<(lastCall + 1) where page.ends[call] == nil && !began.all.contains(call) {
            return "call \(call), of which nobody told the page that it failed, never began"
        }
        return nil
    }
}
