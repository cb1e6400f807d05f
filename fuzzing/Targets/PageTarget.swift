import HTTPTypes
import Synchronization

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgePageRuntime

/// What pages say: each line a frame of a channel, or the body of a request.
///
/// A line begins with where it goes: a digit, to the channel of that number; `c`, `m`, as a call or as messages by
/// HTTP; `x`, the channel of the digit behind it ends; `g`, the page is given up; `s`, native sends something.
enum PageTarget: FuzzTarget {
    private static let id = String(repeating: "a", count: 32)

    static func run(_ bytes: [UInt8]) {
        checkOutbox(bytes)
        let lines = bytes.split(separator: 0x0A).prefix(64).map(Array.init)
        wait { try await play(lines) }
    }

    private static func play(_ lines: [[UInt8]]) async throws {
        let gateway = Gateway()
        try gateway.register(Note.self, at: "/note")
        try gateway.register(at: "/asks") { Asks(request: $0) }
        var wires: [Int: Wire] = [:]
        for line in lines {
            guard let first = line.first else { continue }
            let text = Array(line.dropFirst())
            switch first {
            case 0x30...0x33:
                let wire = wires[Int(first), default: Wire(gateway)]
                wires[Int(first)] = wire
                if !wire.isClosed { wire.reader.receive(text, on: wire) }
            case UInt8(ascii: "c"), UInt8(ascii: "m"):
                await post(text, to: first == UInt8(ascii: "c") ? "call" : "messages", gateway)
            case UInt8(ascii: "x"):
                if let number = text.first, let wire = wires.removeValue(forKey: Int(number)) {
                    wire.reader.ended(wire)
                }
            case UInt8(ascii: "g"): gateway.pages.end(.lost)
            case UInt8(ascii: "s"):
                gateway.pages.emit("event", .string(String(decoding: text, as: UTF8.self)))
            default: break
            }
            check(gateway.pages.all.count <= lines.count, "\(gateway.pages.all.count) pages")
        }
        for wire in wires.values { checkFrames(wire) }
        gateway.pages.end(.lost)
        check(gateway.pages.all.count == 0, "pages are left")
    }

    /// Numbers go up by one within a connection, and all of it is of one life.
    private static func checkFrames(_ wire: Wire) {
        var last: Int?
        var life: Int?
        for frame in wire.frames {
            if let named = frame["life"]?.numberValue?.intValue {
                check(life == nil || life == named, "\(named) is not the life \(life ?? 0)")
                life = named
            } else {
                check(frame["over"] != nil, "\(frame) is of no life")
            }
            for message in frame["down"]?.arrayValue ?? [] {
                let number = message[0]?.numberValue?.intValue ?? -1
                check(last.map { $0 + 1 == number } ?? (number >= 1), "\(number) behind \(last ?? 0)")
                last = number
            }
        }
    }

    private static func post(_ text: [UInt8], to path: String, _ gateway: Gateway) async {
        let headers: HTTPFields = [
            .pageToken: gateway.access.token.text, .pageID: id, .secFetchSite: "same-origin",
            .origin: "http://localhost",
        ]
        let request = Request(
            .post, "/__drawbridge__/\(path)", headers: headers, body: .init(text))
        let response = await gateway.respond(to: request)
        check([200, 400, 409].contains(response.status.code), "\(response.status)")
    }

    /// The bytes as orders: what is kept and sent again is always the same sequence.
    ///
    /// Its memory has room for so much that it is sometimes full, and always knows what is kept.
    private static func checkOutbox(_ bytes: [UInt8]) {
        let room = Room()
        var outbox = Outbox(life: 1, in: room)
        var acknowledged = 0
        var sent = 0
        for byte in bytes.prefix(128) {
            switch byte % 5 {
            case 0:
                // A few of the longest fill a frame, and then the window.
                let length = byte == 255 ? Outbox.frame / 2 : Int(byte) + 1
                let before = outbox.last
                let isTaken = outbox.add(Array(repeating: UInt8(ascii: "1"), count: length))
                check(outbox.last == before + (isTaken ? 1 : 0), "\(outbox.last) after \(before)")
            case 1:
                acknowledged = max(acknowledged, min(outbox.sent, Int(byte) / 5))
                outbox.acknowledge(Int(byte) / 5)
            case 2:
                outbox.begin()
                sent = acknowledged
            case 3: outbox.withdraw(Int(byte) / 5)
            default:
                let taken = byte > 127 ? Int(byte) : nil
                outbox.taken = taken
                let messages = outbox.nextFrame()
                guard let bytes = messages ?? outbox.acknowledgement() else { break }
                let frame = try? JSON(parsing: bytes)
                check(frame?["ack"]?.numberValue?.intValue == taken, "\(taken ?? 0) was taken")
                check(outbox.acknowledgement() == nil, "it was said that \(taken ?? 0) was taken")
                guard messages != nil else { break }
                guard let messages = frame?["down"]?.arrayValue else {
                    fatalError("\(String(decoding: bytes, as: UTF8.self)) has no messages")
                }
                sent = max(sent, acknowledged)
                for message in messages {
                    sent += 1
                    check(message[0]?.numberValue?.intValue == sent, "\(message) is not number \(sent)")
                }
                check(sent <= outbox.last, "\(sent) of \(outbox.last)")
            }
            check(outbox.bytes >= 0, "\(outbox.bytes) bytes")
            check(room.count == outbox.bytes, "\(room.count) bytes count, and \(outbox.bytes) are kept")
        }
        outbox.begin()
        while outbox.nextFrame() != nil { outbox.acknowledge(outbox.last) }
        check(outbox.bytes == 0 && outbox.nextFrame() == nil, "\(outbox.bytes) bytes are left")
        check(room.count == 0, "\(room.count) bytes of nothing count")
    }

    /// Memory with room for two of the longest messages.
    private final class Room: WaitingMemory {
        private let bytes = Mutex(0)
        var count: Int { bytes.withLock { $0 } }

        func change(to count: Int) -> Bool {
            guard count <= Outbox.frame + 1000 || count < self.count else { return false }
            changeAnyway(to: count)
            return true
        }

        func changeAnyway(to count: Int) { bytes.withLock { $0 = count } }
    }

    private struct Note: JSONHandler {
        func handle(_ input: JSON?) async throws -> JSON { input ?? .null }
    }

    private struct Asks: JSONHandler {
        let request: Request

        func handle(_ input: JSON?) async throws -> JSON? {
            try await request.present(Question("asks", choices: ["ok", "cancel"], overPage: true))
        }
    }

    private final class Wire: PageConnection {
        let reader: ChannelReader
        private let state = Mutex<(frames: [JSON], isClosed: Bool)>(([], false))

        var tasks: HandlerTasks? { nil }
        var frames: [JSON] { state.withLock { $0.frames } }
        var isClosed: Bool { state.withLock { $0.isClosed } }

        init(_ gateway: Gateway) { reader = ChannelReader(gateway, Request("/__drawbridge__/channel")) }

        func send(_ text: [UInt8]) {
            guard let frame = try? JSON(parsing: text) else {
                fatalError("\(String(decoding: text, as: UTF8.self)) goes down")
            }
            state.withLock { $0.frames.append(frame) }
        }

        func close() { state.withLock { $0.isClosed = true } }

        func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration) {}
    }
}
