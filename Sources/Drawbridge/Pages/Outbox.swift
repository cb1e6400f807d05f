/// Messages on their way to the other side, numbered from 1 on, kept until they are acknowledged.
///
/// They go out in their order, and no more of them at once than a window holds: what a connection has to carry, also a
/// new one that begins behind the last acknowledgement, is little, however much waits.
struct Outbox {
    /// More bytes than this never wait, and no message is longer: the page has stopped reading.
    static let limit = 16 << 20

    /// More bytes than this never wait in answers, which the page has asked for: many large ones at once are no fault.
    static let limitOfAnswers = 128 << 20

    /// So many bytes are on their way and not acknowledged; one message may always be.
    static let window = 4 << 20

    /// About so many bytes are one frame, unless one message is more.
    static let frame = 1 << 20

    /// What a message costs beside its text: its number in the frame, and its place here.
    private static let extra = 32

    /// Messages of so many bytes have room as long as the bounds above hold: the errors that stand in the place of
    /// answers are among them.
    private static let short = 1 << 10

    /// The life of the page that its frames are for.
    let life: Int

    private(set) var last = 0
    /// The highest number that was sent over any connection.
    private(set) var sent = 0
    private var waiting: [(number: Int, text: [UInt8])] = []
    private var first = 0
    /// The place of the first that is not sent over this connection.
    private var next = 0
    /// Bytes of all that is kept.
    private(set) var bytes = 0
    /// Those of them that are sent over this connection.
    private var bytesUnderway = 0

    /// What they take of the memory of the server that the page speaks to; nil where nobody counts.
    private let memory: (any WaitingMemory)?

    init(life: Int = 1, in memory: (any WaitingMemory)? = nil) {
        self.life = life
        self.memory = memory
    }

    /// Whether a message can be added as far as the page's own bound goes.
    func hasRoom(for text: [UInt8], limit: Int) -> Bool { bytes + text.count + Self.extra <= limit }

    /// Whether a message is one that a page can be sent.
    static func fits(_ text: [UInt8]) -> Bool { text.count + extra <= limit }

    /// Adds a message; false where the memory for all of them has no room for it.
    mutating func add(_ text: [UInt8]) -> Bool {
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

    /// Forgets the messages up to a number; a page has none that was not sent, whatever it says.
    mutating func acknowledge(_ number: Int) {
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

    /// The connection is another one: nothing of what is kept has been sent over it.
    mutating func begin() {
        next = first
        bytesUnderway = 0
    }

    /// The frame that goes out now; nil where there is nothing, or where the page is to take what it has first.
    mutating func nextFrame() -> [UInt8]? {
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

    /// Takes back what was not sent yet; its place stays, with nothing in it.
    mutating func withdraw(_ number: Int) {
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
