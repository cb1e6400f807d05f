/// A value in a JSON text, with the line and column at which an error message can point.
package struct LocatedJSON {
    let tape: JSONTape
    private(set) var place: Int
    /// The text as written, with its comments, which `tape` does not know.
    let written: [UInt8]
    /// The offsets of all newlines, for a binary search: a file may produce thousands of messages with a line number.
    private let lineEnds: [Int]

    /// The greatest depth of arrays and objects; it is limited because replies are read recursively.
    private static let deepest = 100

    /// Parses JSON with comments, which go from `//` to the end of the line.
    package init(parsing text: [UInt8]) throws(ReplyFault) {
        do {
            tape = try JSONTape(parsing: JSON.blankingComments(in: text), maximumDepth: Self.deepest)
        } catch {
            throw ReplyFault(error)
        }
        place = 0
        written = text
        lineEnds = text.indices.filter { text[$0] == UInt8(ascii: "\n") }
    }

    init(_ value: LocatedJSON, _ place: Int) {
        self = value
        self.place = place
    }

    package var json: JSON { JSON(tape, at: place) }

    /// The members of an object in the order of the text; nil for any other value.
    package var members: [(name: String, value: LocatedJSON)]? {
        guard tape[place].kind == .object else { return nil }
        return tape.values(in: place).map { (tape.string(tape[$0 - 1]), LocatedJSON(self, $0)) }
    }

    package var elements: [LocatedJSON]? {
        guard tape[place].kind == .array else { return nil }
        return tape.values(in: place).map { LocatedJSON(self, $0) }
    }

    package var path: String { tape.path(to: place).dotted }

    /// The line and column of the key of this value; for an array's element, of the nearest key that contains it.
    package var beginning: (line: Int, column: Int) {
        var place = place
        while tape[place].parent != JSONTape.Entry.none, tape[Int(tape[place].parent)].kind != .object {
            place = Int(tape[place].parent)
        }
        let offset = LocatedJSON(self, place).nameOffset
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
    /// The line, counted from 1; 0 for a value that is not in a file.
    package private(set) var line: Int
    /// The byte in that line, counted from 1.
    package let column: Int
    /// The path to the value, such as `replies.pay.$cases[1]`; empty for the root.
    package let key: String
    package let message: String

    /// The message with its place: `line 2, column 9, replies.pay: …`.
    package var description: String {
        let place = [line > 0 ? "line \(line), column \(column)" : "", key].filter { !$0.isEmpty }
        return place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
    }

    /// The same for a value that is not in a file: without line and column.
    package var unplaced: ReplyFault {
        var fault = self
        fault.line = 0
        return fault
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

// The source text of a value, so that an edit of the file can leave everything else unchanged.
extension LocatedJSON {
    /// The source text of the value, with the spaces and comments in it.
    var text: String { String(decoding: written[range], as: UTF8.self) }

    /// The offset of the opening quote of the value's key; 0 for the root.
    package var nameOffset: Int {
        tape[place].parent == JSONTape.Entry.none ? 0 : Int(tape[place - 1].from)
    }

    /// The range of the value in the source text, without its key and the spaces around it.
    package var range: Range<Int> { Int(tape[place].from)..<Int(tape[place].to) }
}
