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
