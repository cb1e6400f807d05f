import Drawbridge
import TestSupport

/// A page as the gateway sees it: its channel, on which both call each other.
struct SoakedPage {
    private let socket: WebSocketClient
    private var lastNumber = 0
    private static let life: JSON = 1

    /// Opens the channel, says hello, and is greeted as a page that is new.
    init(_ caller: inout Caller, id: String) throws {
        let token = try caller.token()
        socket = try caller.webSocket(
            "/__drawbridge__/channel", ["Sec-WebSocket-Protocol: drawbridge, token.\(token)"])
        try send([
            "hello": [
                "page": .string(id), "life": Self.life, "epoch": "", "received": 0, "bridges": ["wvjb6"],
                "url": "http://localhost/document.html", "viewer": "person",
            ]
        ])
        let frame = try receive()
        guard frame["welcome"] != nil else { throw Wrong("a page is not welcome: \(frame)") }
    }

    /// Calls a handler, answers what native asks meanwhile, and gives the reply.
    mutating func call(_ name: String, _ data: JSON) throws -> JSON {
        let id = try ask(name, data)
        while true {
            for pair in try receive()["down"]?.arrayValue ?? [] {
                guard let number = pair[0], let message = pair[1] else { throw Wrong("no message: \(pair)") }
                try send(["ack": number])
                if message["reply"] == id { return message }
                if message["hears"] == true || message["event"] != nil {
                    try hear(message)
                    continue
                }
                if message["withdraw"] != nil { continue }
                if let number = message["ask"]?["number"] {
                    lastNumber += 1
                    try send(["up": [[.number(.init(lastNumber)), ["answer": number, "value": "ok"]]]])
                    continue
                }
                guard message["call"] == "answer", let asked = message["id"] else {
                    throw Wrong("an unexpected message: \(message)")
                }
                lastNumber += 1
                let answer: JSON = ["result": asked, "value": ["heard": message["data"] ?? .null]]
                try send(["up": [[.number(.init(lastNumber)), answer]]])
            }
        }
    }

    /// Receives what native says to nobody's call, or leaves without a word about it; some answer all the same.
    private mutating func hear(_ message: JSON) throws {
        guard let id = message["id"], let number = id.numberValue?.intValue, number % 3 > 0 else { return }
        for word in number % 3 == 1 ? ["result"] : ["result", "told"] {
            lastNumber += 1
            try send(["up": [[.number(.init(lastNumber)), [word: id, "value": message["data"] ?? .null]]]])
        }
    }

    /// Calls a handler, and leaves its reply for later.
    ///
    /// - Returns: the id of the call.
    @discardableResult
    mutating func ask(_ name: String, _ data: JSON) throws -> JSON {
        lastNumber += 1
        let id = JSON.number(.init(lastNumber))
        try send(["up": [[id, ["call": .string(name), "data": data, "id": id, "bridge": "reply"]]]])
        return id
    }

    /// Leaves, with a farewell or without.
    func leave(_ caller: inout Caller) throws {
        if caller.dice.roll(4) > 0 { try send(["bye": true]) }
        caller.leave(socket.raw)
    }

    private func send(_ frame: JSON) throws {
        guard case .object(var members) = frame else { return }
        members["life"] = Self.life
        try socket.send(String(decoding: JSON.object(members).bytes, as: UTF8.self))
    }

    private func receive() throws -> JSON { try JSON(parsing: try socket.receiveMessage().payload) }
}

extension Caller {
    /// Is so many pages, one after the other, that say nothing and go.
    mutating func comeAndGo(_ count: Int) throws {
        let token = try token()
        for _ in 0..<count {
            let farewell: JSON = [
                "page": .string(pageID()), "life": 1, "token": .string(token), "up": [], "leaving": true,
            ]
            try ask(
                "POST /__drawbridge__/messages", "Content-Type: application/json",
                body: String(decoding: farewell.bytes, as: UTF8.self), expecting: nil)
        }
    }
}
