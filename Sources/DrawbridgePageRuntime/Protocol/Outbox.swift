/// Messages to a page, numbered from 1, and kept until the page acknowledges them.
///
/// They are sent in order, and at most a window of unacknowledged bytes at a time. So a new connection, which starts
/// after the last acknowledged message, never has much to resend.
package struct Outbox: Sendable {
    /// The most bytes that may wait, and the most of one message; beyond it the page is taken to have stopped reading.
    package static let limit = 16 << 20

    /// The limit when an answer is added: the page asked for it, so many large ones are not an error.
    package static let limitOfAnswers = 128 << 20

    /// The most bytes that may be sent without being acknowledged; a single larger message is sent too.
    static let window = 4 << 20

    /// The most bytes of a frame, approximately; a single larger message is sent in a frame of its own.
    static let frame = 1 << 20

    /// The cost of a message beyond its text: its number in the frame, and its entry in the array.
    private static let extra = 32

    /// The size up to which a message is added even if memory is full, so that an error can replace a large answer.
    private static let short = 1 << 10

    let life: Int

    package private(set) var last = 0
    /// The highest number that was sent, over any connection.
    private(set) var sent = 0
    private var waiting: [(number: Int, text: [UInt8])] = []
    private var first = 0
    /// The index of the first message that was not sent over the current connection.
    private var next = 0
    package private(set) var bytes = 0
    /// How many of ``bytes`` were sent over the current connection.
    private var bytesUnderway = 0
    /// The number up to which the page's own messages were taken; nil once a frame has said so.
    package var taken: Int?

    /// The server's account of memory for waiting messages; nil if memory is not limited.
    private let memory: (any WaitingMemory)?

    package init(life: Int = 1, in memory: (any WaitingMemory)? = nil) {
        self.life = life
        self.memory = memory
    }

    package func hasRoom(for text: [UInt8], limit: Int) -> Bool { bytes + text.count + Self.extra <= limit }

    /// Whether a message is small enough to be sent to a page at all.
    package static func fits(_ text: [UInt8]) -> Bool { text.count + extra <= limit }

    /// Adds a message; false if the server's memory for waiting messages is full.
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

    /// Removes the messages up to a number; messages that were never sent are kept.
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

    /// Starts again at the first unacknowledged message, for a new connection.
    package mutating func begin() {
        next = first
        bytesUnderway = 0
    }

    /// The next frame to send; nil if all is sent, or the page must acknowledge first.
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

    /// Replaces a message that was not sent yet by an empty one, since its number must be used.
    package mutating func withdraw(_ number: Int) {
        guard number > sent, let place = waiting.lastIndex(where: { $0.number == number }) else { return }
        bytes -= waiting[place].text.count - Self.nothing.count
        waiting[place].text = Self.nothing
        memory?.changeAnyway(to: bytes)
    }

    private static let nothing = Array("{}".utf8)

    /// A frame that says what was taken; nil if one with messages has said it.
    package mutating func acknowledgement() -> [UInt8]? { taken == nil ? nil : frame([], 0) }

    private mutating func frame(_ some: ArraySlice<(number: Int, text: [UInt8])>, _ size: Int) -> [UInt8] {
        var frame = Array(#"{"life":"#.utf8)
        frame.reserveCapacity(size + 72)
        frame += String(life).utf8
        if let taken = taken.take() {
            frame += #","ack":"#.utf8
            frame += String(taken).utf8
        }
        frame += (some.isEmpty ? "}" : #","down":["#).utf8
        for (position, message) in some.enumerated() {
            frame += (position == 0 ? "[" : ",[").utf8
            frame += String(message.number).utf8
            frame.append(UInt8(ascii: ","))
            frame += message.text
            frame += (position == some.count - 1 ? "]]}" : "]").utf8
        }
        return frame
    }
}

/// Charges the bytes that wait for a page to the server's limit for all waiting data.
///
/// The bytes are released when this object is. It must not be used by several threads at the same time.
package protocol WaitingMemory: AnyObject, Sendable {
    /// Sets the number of waiting bytes; false, without any change, if that exceeds the server's limit.
    func change(to count: Int) -> Bool

    /// Sets the number of waiting bytes, even beyond the server's limit.
    func changeAnyway(to count: Int)
}

extension HTTPError {
    /// The error for a call to a page when the server's memory for waiting data is full.
    package static let noRoomForPages = HTTPError(
        .serviceUnavailable,
        """
        request bodies and messages that wait for pages fill the memory allowed for them (--memory-for-bodies); \
        try again soon
        """)
}
