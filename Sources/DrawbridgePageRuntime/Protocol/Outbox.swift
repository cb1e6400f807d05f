import DrawbridgeJSON
package import DrawbridgeMessages
import HTTPTypes

/// Messages on their way to the other side, numbered from 1 on, kept until they are acknowledged.
///
/// They are sent in their order, up to a window of bytes that are not acknowledged: so a connection, also a new one
/// that begins after the last acknowledgement, has little to carry, however much waits.
package struct Outbox: Sendable {
    /// The most bytes that wait, and that a message has; with more, the page has stopped reading.
    package static let limit = 16 << 20

    /// The most bytes that wait where an answer is added, which the page has asked for: many large ones are not a fault.
    package static let limitOfAnswers = 128 << 20

    /// The most bytes that are sent and not acknowledged; one message is always allowed.
    static let window = 4 << 20

    /// About the most bytes of a frame, unless one message has more.
    static let frame = 1 << 20

    /// What a message costs in addition to its text: its number in the frame, and its place here.
    private static let extra = 32

    /// Messages of up to this size are added even where the memory for all is full, such as errors in place of answers.
    private static let short = 1 << 10

    let life: Int

    package private(set) var last = 0
    /// The highest number that was sent over any connection.
    private(set) var sent = 0
    private var waiting: [(number: Int, text: [UInt8])] = []
    private var first = 0
    /// The place of the first that is not sent over this connection.
    private var next = 0
    package private(set) var bytes = 0
    /// Those of them that were sent over this connection.
    private var bytesUnderway = 0

    /// Counts them in the memory of the server that the page speaks to; nil where nobody counts.
    private let memory: (any WaitingMemory)?

    package init(life: Int = 1, in memory: (any WaitingMemory)? = nil) {
        self.life = life
        self.memory = memory
    }

    package func hasRoom(for text: [UInt8], limit: Int) -> Bool { bytes + text.count + Self.extra <= limit }

    /// Whether a message is one that a page can be sent.
    package static func fits(_ text: [UInt8]) -> Bool { text.count + extra <= limit }

    /// Adds a message; false where the memory for all of them has no room for it.
    package mutating func add(_ text: [UInt8]) -> Bool {
        let newBytes = bytes + text.count + Self.extra
        if let memory, !memory.change(to: newBytes) {
            guard text.count <= Self.short else { return false }
            memory.changeAnyway(to: newBytes)
        }
        bytes = newBytes
        last += 1
        waiting.append((last, text))
        return true
    }

    /// Forgets the messages up to a number; one that was not sent cannot be acknowledged.
    package mutating func acknowledge(_ number: Int) {
        let number = min(number, sent)
        while first < waiting.count, waiting[first].number <= number {
            let cost = waiting[first].text.count + Self.extra
            bytes -= cost
            if first < next { bytesUnderway -= cost }
            waiting[first].text = []
            first += 1
        }
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.count < 64)
            (first, next) = (0, 0)
        } else if first > 1024 {
            waiting.removeFirst(first)
            (first, next) = (0, max(0, next - first))
        }
        next = max(next, first)
        memory?.changeAnyway(to: bytes)
    }

    /// Begins anew for a new connection, over which nothing was sent yet.
    package mutating func begin() {
        next = first
        bytesUnderway = 0
    }

    /// The next frame to send; nil where there is nothing, or where the page must acknowledge first.
    package mutating func nextFrame() -> [UInt8]? {
        var end = next
        var size = 0
        while end < waiting.count {
            let cost = waiting[end].text.count + Self.extra
            guard bytesUnderway + size == 0 || bytesUnderway + size + cost <= Self.window,
                size == 0 || size + cost <= Self.frame
            else { break }
            size += cost
            end += 1
        }
        guard end > next else { return nil }
        defer {
            next = end
            sent = max(sent, waiting[end - 1].number)
            bytesUnderway += size
        }
        return frame(waiting[next..<end], size)
    }

    /// Empties a message that was not sent yet; its number stays.
    package mutating func withdraw(_ number: Int) {
        guard number > sent, let place = waiting.lastIndex(where: { $0.number == number }) else { return }
        bytes -= waiting[place].text.count - Self.nothing.count
        waiting[place].text = Self.nothing
        memory?.changeAnyway(to: bytes)
    }

    private static let nothing = Array("{}".utf8)

    private func frame(_ messages: ArraySlice<(number: Int, text: [UInt8])>, _ size: Int) -> [UInt8] {
        var frame = Array(#"{"life":"#.utf8)
        frame.reserveCapacity(size + 48)
        JSON.write(life, into: &frame)
        frame += #","down":["#.utf8
        for (position, message) in messages.enumerated() {
            frame += (position == 0 ? "[" : ",[").utf8
            JSON.write(message.number, into: &frame)
            frame.append(UInt8(ascii: ","))
            frame += message.text
            frame.append(UInt8(ascii: "]"))
        }
        frame += "]}".utf8
        return frame
    }
}

/// Counts bytes that wait for a page against the memory that a server has for all that waits.
///
/// They are given back when this is released. One thread at a time changes it.
package protocol WaitingMemory: AnyObject, Sendable {
    /// Sets how many bytes wait; false where there is no room for them, and then nothing changes.
    func change(to count: Int) -> Bool

    /// Sets how many bytes wait, whether there is room or not.
    func changeAnyway(to count: Int)
}

extension HTTPError {
    /// The error for a page where the memory for all that waits is full.
    package static let noRoomForPages = HTTPError(
        .serviceUnavailable,
        """
        the bodies of requests and what waits for pages take all the memory there is for them (--memory-for-bodies); \
        try again soon
        """)
}
