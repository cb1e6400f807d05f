import Drawbridge
import Glibc
import TestSupport

/// A page that calls native with numbers from 0 on, over connections that it breaks now and then.
protocol BreakingPage: SendableMetatype {
    init(_ port: Int, _ token: String, _ id: String, _ random: SeededRandom) throws

    /// Makes so many calls, and returns when native has all of them.
    ///
    /// - Parameter isSeen: whether the journal has more of its calls than so many.
    mutating func call(_ count: Int, isSeen: (Int) -> Bool) throws
}

/// What a page or a program sees that should not be.
struct DeliveryFault: Error, CustomStringConvertible { let description: String }

/// Calls by requests of its own, one after the other.
struct RequestingPage: BreakingPage {
    private let port: Int
    private let head: String
    private var random: SeededRandom
    private var client: RawClient

    init(_ port: Int, _ token: String, _ id: String, _ random: SeededRandom) throws {
        self.port = port
        self.random = random
        head = [
            "POST /note?_mobile_bridge=1 HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            "X-Drawbridge-Page: \(id)", "X-Drawbridge-Token: \(token)", "X-Drawbridge-Path: /a.html", "",
        ].joined(separator: "\r\n")
        client = try RawClient(port)
    }

    mutating func call(_ count: Int, isSeen: (Int) -> Bool) throws {
        for n in 0..<count {
            let body = #"{"n":\#(n)}"#
            let request = Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
            let way = Int.random(in: 0..<40, using: &random)
            if way < 2 {
                // A part of the head, or all of it and a part of the body: that is not a call.
                let part = way == 0 ? Int.random(in: 1..<head.utf8.count, using: &random) : request.count - 3
                try client.send(Array(request[..<part]))
                try comeAgain(isReset: Bool.random(using: &random))
            }
            try client.send(request)
            switch way {
            case 2:
                // Within the answer.
                _ = try client.readSome(1)
                try comeAgain(isReset: Bool.random(using: &random))
            case 3:
                // Without looking whether there is one. What comes next goes by another connection, and would overtake it.
                try comeAgain(isReset: false)
                let end = now() + 240
                while !isSeen(n), now() < end { usleep(1000) }
                guard isSeen(n) else {
                    throw DeliveryFault(description: "call \(n) was sent whole, and is not in the journal")
                }
            default:
                let reply = try client.reply()
                guard reply.status == 200 else {
                    throw DeliveryFault(description: "call \(n): \(reply.text)")
                }
            }
        }
    }

    private mutating func comeAgain(isReset: Bool) throws {
        if isReset { client.reset() } else { client.close() }
        client = try RawClient(port)
    }
}

/// Calls by its channel, and sends again what was not acknowledged, as the page runtime does.
struct ChannelledPage: BreakingPage {
    private let port: Int
    private let token: String
    private let id: String
    private var random: SeededRandom
    private var channel: ChannelPage
    /// The numbers of its messages: the last that it has sent, and the last that native has said to have.
    private var sent = 0
    private var taken = 0
    /// The last message of native's, and which calls were answered, in that order.
    private var received = 0
    private var answered: [Int] = []

    init(_ port: Int, _ token: String, _ id: String, _ random: SeededRandom) throws {
        (self.port, self.token, self.id, self.random) = (port, token, id, random)
        channel = try ChannelPage(port, token, id: id)
    }

    mutating func call(_ count: Int, isSeen: (Int) -> Bool) throws {
        while taken < count || answered.count < count {
            let last = min(count, taken + Int.random(in: 1...20, using: &random))
            let calls: [JSON] = (taken..<last).map { n in
                let (number, input) = (JSON.number(.init(n + 1)), JSON.number(.init(n)))
                return [number, ["call": "note", "id": number, "data": ["n": input], "bridge": "wvjb"]]
            }
            let text: JSON = ["life": 1, "ack": .number(.init(received)), "up": .array(calls)]
            let frame = WebSocketClient.frame(1, text.bytes)
            let way = Int.random(in: 0..<8, using: &random)
            if way == 0 {
                try channel.socket.raw.send(Array(frame[..<Int.random(in: 1..<frame.count, using: &random)]))
                try comeAgain()
                continue
            }
            try channel.socket.raw.send(frame)
            sent = max(sent, last)
            if way == 1 {
                try comeAgain()
            } else {
                while taken < last || answered.count < last { try hear() }
            }
        }
        // Each once, though many were sent twice.
        guard answered.sorted() == Array(1...count) else {
            throw DeliveryFault(description: "\(answered.count) answers to \(count) calls: \(answered)")
        }
    }

    /// Takes a frame of native's.
    private mutating func hear() throws {
        let came = try channel.socket.receive()
        // What is not text is a ping, since nothing was said for long, or the end.
        guard came.opcode == 1 else {
            throw DeliveryFault(
                description: "\(taken) messages were taken and \(answered.count) answered, and then \(came)")
        }
        let frame = try JSON(parsing: came.payload)
        if let number = frame["ack"]?.numberValue?.intValue { taken = max(taken, number) }
        for message in frame["down"]?.arrayValue ?? [] {
            guard message[0]?.numberValue?.intValue == received + 1 else {
                throw DeliveryFault(description: "behind message \(received) came \(frame)")
            }
            received += 1
            if let id = message[1]?["reply"]?.numberValue?.intValue { answered.append(id) }
        }
    }

    private mutating func comeAgain() throws {
        if Bool.random(using: &random) { channel.socket.raw.reset() } else { channel.socket.raw.close() }
        let epoch = channel.welcome["epoch"]?.stringValue ?? ""
        channel = try ChannelPage(port, token, id: id, epoch: epoch, sent: sent, received: received)
        // Half of the time it does not listen to what native has already.
        if Bool.random(using: &random), let number = channel.welcome["received"]?.numberValue?.intValue {
            taken = max(taken, number)
        }
    }
}
