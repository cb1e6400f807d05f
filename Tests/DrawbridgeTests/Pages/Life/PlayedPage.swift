import HTTPTypes

@testable import Drawbridge

/// The page's side of the channel as the manual has it (<doc:ThePageRuntime>), without a browser.
final class PlayedPage {
    /// What became of a call of the page's.
    enum Outcome: Equatable {
        case value(Int)
        case error(Int)
    }

    private struct Message {
        var number: Int
        let json: JSON
        let call: Int?
        let isAnswer: Bool
        var isSent = false
    }

    let id: String
    private(set) var gateway: Gateway
    private let fault: LifeFault?
    private(set) var life = 1
    private(set) var epoch: String
    private var token: String
    private var waiting: [Message] = []
    private var lastNumber = 0
    private var told = 0
    private var received = 0
    private var sentOverWire = 0
    private(set) var wire: PlayedWire?
    private(set) var isWelcome = false
    /// True behind `pagehide`.
    private(set) var isGone = false
    private var open: Set<Int> = []
    /// Each call's ends, of which there is to be one.
    private(set) var ends: [Int: [Outcome]] = [:]
    /// What native sent, as it was applied.
    private(set) var applied: [Int] = []
    /// Farewells under way, each with the gateway's token as the page knew it.
    private(set) var beacons: [(body: JSON, token: String)] = []

    init(_ gateway: Gateway, id: String, fault: LifeFault?) {
        self.gateway = gateway
        self.id = id
        self.fault = fault
        epoch = gateway.pages.epoch
        token = gateway.access.token.text
    }

    // MARK: What the page does

    /// Calls by the channel.
    func call(_ number: Int) {
        open.insert(number)
        post(
            ["call": "note", "data": .number(.init(number)), "id": .number(.init(number)), "bridge": "wvjb"],
            call: number)
    }

    /// Calls and is blocked; `isHeard` is false where the answer is lost on its way.
    func callNow(_ number: Int, isHeard: Bool) async {
        connect()
        let call: JSON = ["call": "note", "data": .number(.init(number)), "bridge": "inject"]
        guard let answer = await tellNow("call", call, isHeard: isHeard) else {
            ends[number, default: []].append(.error(503))
            return
        }
        ends[number, default: []].append(
            answer["value"]?.numberValue?.intValue.map(Outcome.value) ?? .error(400))
    }

    /// Has what it said taken, as it does before a synchronous request of its own.
    func flushNow(isHeard: Bool) async {
        if !waiting.isEmpty { _ = await tellNow("messages", [:], isHeard: isHeard) }
    }

    /// `pagehide`.
    func leave(forGood: Bool) {
        guard let wire else { return }
        isGone = true
        beacons.append((carrying(["leaving": .bool(forGood)], by: .beacon), token))
        areSent()
        if isWelcome, forGood { wire.say(frame(["bye": true])) }
        self.wire = nil
        isWelcome = false
        // Chance decides what of it still arrives.
        left.append(wire)
    }

    /// Connections that the page has closed, and the gateway not yet.
    private(set) var left: [PlayedWire] = []

    /// The last of these ends.
    func endLeft(carrying count: Int) {
        guard !left.isEmpty else { return }
        let wire = left.removeFirst()
        wire.carry(count)
        wire.end()
    }

    /// `pageshow`.
    func comeBack() {
        guard isGone else { return }
        isGone = false
        connect()
    }

    func connect() {
        guard wire == nil, !isGone else { return }
        if token != gateway.access.token.text { adopt() }
        let wire = PlayedWire(gateway)
        self.wire = wire
        var hello = sign().objectValue ?? [:]
        hello["url"] = "http://localhost/a.html"
        wire.say(["hello": .object(hello)])
    }

    /// Its connection breaks; the gateway sees it, too.
    func breakWire() {
        guard let wire else { return }
        left.append(wire)
        self.wire = nil
        isWelcome = false
    }

    /// The gateway is another one from now on.
    func meet(_ gateway: Gateway) { self.gateway = gateway }

    /// Takes so many frames; a connection that the gateway closed ends behind them.
    func hear(_ count: Int) {
        guard let wire else { return }
        for _ in 0..<count {
            guard self.wire === wire, let frame = wire.heard() else { break }
            take(frame)
        }
        if self.wire === wire, wire.isClosed { breakWire() }
    }

    /// A farewell arrives, the first or the last that was sent.
    func deliverBeacon(first: Bool) async -> Bool {
        guard !beacons.isEmpty else { return false }
        let (body, token) = first ? beacons.removeFirst() : beacons.removeLast()
        return await request("messages", body, token)?.status == .ok
    }

    // MARK: The channel

    private func post(_ json: JSON, call: Int? = nil, isAnswer: Bool = false) {
        lastNumber += 1
        waiting.append(Message(number: lastNumber, json: json, call: call, isAnswer: isAnswer))
        connect()
        flush()
    }

    private func flush() {
        guard isWelcome, let wire else { return }
        let some = waiting.filter { $0.number > sentOverWire }
        guard !some.isEmpty else { return }
        wire.say(frame(["up": batch(some)]))
        sentOverWire = some.last?.number ?? sentOverWire
        areSent()
    }

    private func batch(_ messages: [Message]) -> JSON {
        .array(messages.map { [.number(.init($0.number)), $0.json] })
    }

    private func areSent() {
        for index in waiting.indices { waiting[index].isSent = true }
        told = max(told, waiting.last?.number ?? 0)
    }

    private func frame(_ members: JSON.Object) -> JSON {
        var members = members
        members["life"] = .number(.init(life))
        return .object(members)
    }

    private func sign() -> JSON {
        [
            "page": .string(id), "life": .number(.init(life)), "n": .number(.init(told)),
            "received": .number(.init(received)), "epoch": .string(epoch),
        ]
    }

    private func carrying(_ more: JSON, by way: LifeFault.Way) -> JSON {
        var body = sign().objectValue ?? [:]
        if fault?.way == way { (body["n"], body["received"]) = (0, 0) }
        for (name, value) in more.objectValue ?? [:] { body[name] = value }
        body["up"] = batch(waiting)
        return .object(body)
    }

    private func take(_ frame: JSON) {
        if let over = frame["over"]?.numberValue?.intValue { return isOver(over, frame) }
        guard frame["life"]?.numberValue?.intValue == life else { return }
        if let welcome = frame["welcome"] {
            let taken = welcome["received"]?.numberValue?.intValue ?? 0
            waiting.removeAll { $0.number <= taken }
            sentOverWire = taken
            isWelcome = true
            flush()
        }
        if let taken = frame["ack"]?.numberValue?.intValue { waiting.removeAll { $0.number <= taken } }
        guard let down = frame["down"]?.arrayValue else { return }
        for message in down {
            guard let number = message[0]?.numberValue?.intValue, number > received else { continue }
            received = number
            apply(message[1] ?? .null)
        }
        wire?.say(self.frame(["ack": .number(.init(received))]))
    }

    private func apply(_ message: JSON) {
        if let reply = message["reply"]?.numberValue?.intValue {
            guard open.remove(reply) != nil else { return }
            ends[reply, default: []].append(
                message["value"]?.numberValue?.intValue.map(Outcome.value) ?? .error(400))
        } else if message["call"] != nil {
            applied.append(message["data"]?.numberValue?.intValue ?? -1)
            guard let id = message["id"] else { return }
            post(["result": id, "value": message["data"] ?? .null], isAnswer: true)
        }
    }

    private func isOver(_ over: Int, _ frame: JSON) {
        if over == life { beginLife(frame["epoch"]?.stringValue ?? "") }
    }

    private func beginLife(_ epoch: String) {
        self.epoch = epoch
        life += 1
        (received, told, sentOverWire, lastNumber) = (0, 0, 0, 0)
        waiting.removeAll { $0.isSent || $0.isAnswer }
        for index in waiting.indices {
            lastNumber += 1
            waiting[index].number = lastNumber
        }
        let kept = Set(waiting.compactMap(\.call))
        for call in open.subtracting(kept).sorted() {
            open.remove(call)
            ends[call, default: []].append(.error(503))
        }
        if wire != nil { breakWire() }
    }

    // MARK: By HTTP

    /// The answer; nil where it was not heard.
    private func tellNow(_ path: String, _ more: JSON, isHeard: Bool) async -> JSON? {
        for _ in 0..<4 {
            let body = carrying(more, by: path == "call" ? .call : .messages)
            guard let (status, answer) = await request(path, body, token) else { break }
            guard isHeard else { break }
            if status == .forbidden {
                adopt()
            } else if let over = answer["over"]?.numberValue?.intValue {
                isOver(over, answer)
            } else {
                areSent()
                if let taken = answer["received"]?.numberValue?.intValue {
                    waiting.removeAll { $0.number <= taken }
                }
                return answer
            }
        }
        areSent()
        return nil
    }

    private func adopt() {
        token = gateway.access.token.text
        if epoch != gateway.pages.epoch { beginLife(gateway.pages.epoch) }
    }

    private func request(_ path: String, _ body: JSON, _ token: String) async -> (
        status: HTTPResponse.Status, body: JSON
    )? {
        let headers: HTTPFields = [
            .pageToken: token, .pageID: id, .secFetchSite: "same-origin", .origin: "http://localhost",
        ]
        let request = Request(
            .post, "/__drawbridge__/\(path)", headers: headers, body: .init(body.bytes))
        let response = await gateway.respond(to: request)
        guard let bytes = try? await response.body.collect(), let json = try? JSON(parsing: bytes) else {
            return nil
        }
        return (response.status, json)
    }
}
