/// Messages on their way to the other side, numbered from 1 on, kept until they are acknowledged.
struct Outbox {
    /// More bytes than this never wait: the page has stopped reading.
    static let limit = 16 << 20

    private(set) var last = 0
    private var waiting: [(number: Int, text: [UInt8])] = []
    private var first = 0
    private(set) var bytes = 0

    /// Adds a message; returns its number.
    mutating func add(_ text: [UInt8]) -> Int {
        last += 1
        waiting.append((last, text))
        bytes += text.count
        return last
    }

    /// Forgets the messages up to a number.
    mutating func acknowledge(_ number: Int) {
        while first < waiting.count, waiting[first].number <= number {
            bytes -= waiting[first].text.count
            waiting[first].text = []
            first += 1
        }
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.count < 64)
            first = 0
        } else if first > 1024 {
            waiting.removeFirst(first)
            first = 0
        }
    }

    /// A frame with all that is not acknowledged; nil where there is nothing.
    var frame: [UInt8]? {
        first < waiting.count ? Self.frame(waiting[first...]) : nil
    }

    /// A frame with one message.
    static func frame(_ number: Int, _ text: [UInt8]) -> [UInt8] { frame([(number, text)]) }

    private static func frame(_ messages: ArraySlice<(number: Int, text: [UInt8])>) -> [UInt8] {
        var frame = Array(#"{"down":["#.utf8)
        frame.reserveCapacity(messages.reduce(16) { $0 + $1.text.count + 16 })
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
