import Drawbridge
import TestSupport
import Testing

/// A page as the gateway sees it: its channel, over a raw socket.
struct ChannelPage: Sendable {
    let socket: WebSocketClient
    let life: Int
    /// What the gateway greeted it with.
    let welcome: JSON

    /// Opens a channel, and says hello; it blocks.
    ///
    /// - Parameters:
    ///   - life: which of its lives it is.
    ///   - epoch: that of the gateway which the page spoke to last.
    ///   - sent: the number of the last message that it has sent.
    ///   - received: the number of the last message that it took from there.
    init(
        _ port: Int, _ token: String, id: String = String(repeating: "a", count: 32), life: Int = 1,
        epoch: String = "", sent: Int = 0, received: Int = 0
    ) throws {
        socket = try WebSocketClient.open(
            port, "/__drawbridge__/channel", host: "localhost",
            fields: ["Sec-WebSocket-Protocol: drawbridge, token.\(token)"])
        self.life = life
        let hello: JSON = [
            "hello": [
                "page": .string(id), "life": .number(.init(life)), "epoch": .string(epoch),
                "n": .number(.init(sent)), "received": .number(.init(received)),
                "bridges": [], "url": "http://localhost/a.html",
            ]
        ]
        try socket.send(String(decoding: hello.bytes, as: UTF8.self))
        let frame = try JSON(parsing: try socket.receiveMessage().payload)
        guard let welcome = frame["welcome"] else { throw IsOver(frame: frame) }
        self.welcome = welcome
    }

    /// The same on a thread of its own.
    static func open(
        _ port: Int, _ token: String, id: String = String(repeating: "a", count: 32), life: Int = 1,
        epoch: String = "", received: Int = 0
    ) async throws -> ChannelPage {
        try await blocking {
            try ChannelPage(port, token, id: id, life: life, epoch: epoch, received: received)
        }
    }

    /// The gateway told it that its life is over.
    struct IsOver: Error {
        let frame: JSON
    }

    /// Says something.
    func tell(_ message: JSON) async throws {
        var members = message.objectValue ?? [:]
        members["life"] = .number(.init(life))
        try await blocking { [message = JSON.object(members)] in
            try socket.send(String(decoding: message.bytes, as: UTF8.self))
        }
    }

    /// The next frames' messages, each with its number, until there are so many.
    func messages(_ count: Int) async throws -> [JSON] {
        try await blocking {
            var messages: [JSON] = []
            while messages.count < count {
                messages += try JSON(parsing: try socket.receiveMessage().payload)["down"]?.arrayValue ?? []
            }
            return messages
        }
    }

    /// The code by which the gateway ends the connection; nil where it just does.
    func closing() async throws -> Int? {
        try await blocking { try socket.receiveToEnd().lazy.compactMap(\.code).first }
    }
}
