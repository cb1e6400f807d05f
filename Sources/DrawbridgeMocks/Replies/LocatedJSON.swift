package import DrawbridgeJSON

/// A value of a JSON text with its line and column, for messages about what is wrong with it.
package struct LocatedJSON {
    let tape: JSONTape
    private(set) var place: Int
    /// The text with its comments, which the tape has not.
    let written: [UInt8]
    /// The ends of its lines, searched for each line number: a file may have thousands of values with a message.
    private let lineEnds: [Int]

    /// Deeper values are refused: replies are read recursively.
    private static let deepest = 100

    /// Reads a text, which may have comments: from `//` to the end of the line.
    package init(parsing text: [UInt8]) throws(ReplyFault) {
        do {
            tape = try JSONTape(parsing: JSON.blankingComments(in: text), maximumDepth: Self.deepest)
        } catch {
            throw ReplyFault(error)
        }
        place = 0
        written = text
        lineEnds = tape.bytes.indices.filter { [bytes = tape.bytes] in bytes[$0] == UInt8(ascii: "\n") }
    }

    init(_ value: LocatedJSON, _ place: Int) {
        self = value
        self.place = place
    }

    package var json: JSON { JSON(tape, at: place) }

    /// The members of an object in their order; nil for any other value.
    package var members: [(name: String, value: LocatedJSON)]? {
        guard tape[place].kind == .object else { return nil }
        return tape.values(in: place).map { (tape.string(tape[$0 - 1]), LocatedJSON(self, $0)) }
    }

    package var elements: [LocatedJSON]? {
        guard tape[place].kind == .array else { return nil }
        return tape.values(in: place).map { LocatedJSON(self, $0) }
    }

    package var path: String { tape.path(to: place).dotted }

    /// Where its name begins, or that of the nearest member around it.
    package var beginning: (line: Int, column: Int) {
        var place = place
        while tape[place].parent != JSONTape.Entry.none, tape[Int(tape[place].parent)].kind != .object {
            place = Int(tape[place].parent)
        }
        let offset = tape[place].parent == JSONTape.Entry.none ? 0 : Int(tape[place - 1].position)
        let before = lines(before: offset)
        return (before + 1, offset - (before == 0 ? -1 : lineEnds[before - 1]))
    }

    func lines(before offset: Int) -> Int {
        var (low, high) = (0, lineEnds.count)
        while low < high {
            let middle = (low + high) / 2
            if lineEnds[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

package struct ReplyFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    package let line: Int
    /// The byte of that line, counted from 1.
    package let column: Int
    /// The path to the value, such as `replies.pay.$cases[1]`; empty for the whole text.
    package let key: String
    package let message: String

    /// All of it, such as `line 2, column 9, replies.pay: …`.
    package var description: String {
        "line \(line), column \(column)" + (key.isEmpty ? "" : ", \(key)") + ": \(message)"
    }

    init(_ error: JSON.ParseError) {
        line = error.line
        column = error.column
        key = ""
        let isComment = ["found '/'", "found '#'"].contains(where: error.message.contains)
        message = error.message + (isComment ? "; a comment begins with // and ends with its line" : "")
    }

    package init(_ message: String, at value: LocatedJSON) {
        (line, column) = value.beginning
        key = value.path
        self.message = message
    }
}

// The text of a value as it is written, for edits that leave all else as it is.
extension LocatedJSON {
    /// A member's value, or the whole, as it is written: with its spaces, and with the comments in it.
    var text: String { String(decoding: written[range], as: UTF8.self) }

    /// Where the name of a member begins, with its quote; 0 for the whole.
    package var nameOffset: Int {
        tape[place].parent == JSONTape.Entry.none ? 0 : Int(tape[place - 1].position)
    }

    /// Where a member's value or an element stands in the whole text, or the whole without the spaces around it.
    package var range: Range<Int> {
        let bytes = tape.bytes
        var start = 0
        let parent = tape[place].parent
        func skip() {
            while start < bytes.count, Self.isSpace(bytes[start]) || ":,".utf8.contains(bytes[start]) {
                start += 1
            }
        }
        if parent != JSONTape.Entry.none, tape[Int(parent)].kind == .array {
            start = LocatedJSON(self, Int(parent)).range.lowerBound + 1
            for _ in 0..<tape[place].position {
                skip()
                start = Self.end(of: start, in: bytes)
            }
        } else if parent != JSONTape.Entry.none {
            start = Self.end(of: nameOffset, in: bytes)
        }
        skip()
        return start..<Self.end(of: start, in: bytes)
    }

    /// Where the value ends that begins at `start`, in a text that is known to be JSON.
    private static func end(of start: Int, in bytes: [UInt8]) -> Int {
        var place = start
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                while bytes[place] != UInt8(ascii: "\"") {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                if depth == 0 { return place + 1 }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // This closes the array or object around a number or a word.
                if depth == 0 { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case let byte where depth == 0 && (isSpace(byte) || byte == UInt8(ascii: ",")): return place
            default: break
            }
            place += 1
        }
        return place
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
