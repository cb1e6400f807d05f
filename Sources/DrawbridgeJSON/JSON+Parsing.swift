extension JSON {
    /// Parses a JSON text in UTF-8: one value, with nothing but white space around it (RFC 8259).
    ///
    /// An object with a repeated name is refused, since parsers disagree about which of its values is valid. A byte order
    /// mark is skipped, and half of a surrogate pair (`"\ud83c"`, left where an emoji was cut) becomes U+FFFD.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumDepth: The greatest depth of arrays and objects. Parsing does not recurse, but comparing, writing and
    ///     releasing the value do; keep the limit where threads have small stacks.
    /// - Throws: ``ParseError``, with the place of the error.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(ParseError) {
        self.init(try JSONTape(parsing: bytes, maximumDepth: maximumDepth))
    }
}

extension JSONTape {
    /// - Parameter allowsRepetition: whether an object may have several members with one name.
    package convenience init(
        parsing bytes: [UInt8], maximumDepth: Int = 512, allowsRepetition: Bool = false
    ) throws(JSON.ParseError) {
        self.init()
        try parse(bytes, maximumDepth: maximumDepth, allowsRepetition: allowsRepetition)
    }

    private static let spare = Spare<JSONTape>()

    /// Parses a text into memory that was used before; ``giveBack(_:)`` keeps it for the next text.
    package static func reused(parsing bytes: [UInt8]) throws(JSON.ParseError) -> JSONTape {
        let tape = spare.take() ?? JSONTape()
        try tape.parse(bytes, maximumDepth: 512, allowsRepetition: false)
        return tape
    }

    /// Keeps a tape for the next text, unless a decoder or a container of it is still held.
    package static func giveBack(_ tape: inout JSONTape) {
        guard isKnownUniquelyReferenced(&tape) else { return }
        tape.own.clear()
        spare.put(tape)
    }

    private func parse(
        _ bytes: [UInt8], maximumDepth: Int, allowsRepetition: Bool
    ) throws(JSON.ParseError) {
        try bytes.withUnsafeBufferPointer { bytes throws(JSON.ParseError) in
            var found = Found()
            swap(&found, &own)
            var parser = JSONParser(
                bytes, maximumDepth: maximumDepth, allowsRepetition: allowsRepetition, into: found)
            try parser.document()
            own = parser.own
        }
    }
}

extension JSON {
    /// The error of a text that is not valid JSON, with its place.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        package let offset: Int
        /// The line of the error, counted from 1.
        public let line: Int
        /// The byte in that line, counted from 1.
        public let column: Int
        /// What is wrong, in words, without the place.
        public let message: String

        /// The place and the message: `line 2, column 9: expected ',' or ']', found '}'`.
        public var description: String { "line \(line), column \(column): \(message)" }

        init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
            let before = bytes.prefix(offset)
            let newline = UInt8(ascii: "\n")
            self.offset = offset
            self.message = message
            line = before.count { $0 == newline } + 1
            column = offset - (before.lastIndex(of: newline) ?? -1)
        }
    }

    /// The text with `//` comments replaced by spaces, so that the places in error messages stay right.
    package static func blankingComments(in text: [UInt8]) -> [UInt8] {
        var text = text
        var isInString = false
        var place = 0
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\\") where isInString: place += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "/")
            where !isInString && place + 1 < text.count && text[place + 1] == text[place]:
                while place < text.count, text[place] != UInt8(ascii: "\n") {
                    text[place] = UInt8(ascii: " ")
                    place += 1
                }
            default: break
            }
            place += 1
        }
        return text
    }

    /// Makes the value at a place of a tape, without recursion.
    ///
    /// The tape is read backwards. So when the entry of an array or object comes, its values have already been made:
    /// they are the last ones of `values`, in reverse order, and are taken from there.
    package init(_ tape: JSONTape, at place: Int = 0) {
        if !tape[place].isContainer {
            self.init(scalar: tape[place], of: tape)
            return
        }
        var values: [JSON] = []
        var names: [String] = []
        for place in (place..<tape.own.next(after: place)).reversed() {
            let entry = tape[place]
            switch entry.kind {
            case .name: names.append(tape.string(entry))
            case .array:
                values.append(.array((0..<entry.count).map { _ in values.removeLast() }))
            case .object:
                let members = (0..<entry.count).map { _ in
                    (key: names.removeLast(), value: values.removeLast())
                }
                values.append(.object(Object(unique: members)))
            default: values.append(JSON(scalar: entry, of: tape))
            }
        }
        self = values[0]
    }

    private init(scalar entry: JSONTape.Entry, of tape: JSONTape) {
        switch entry.kind {
        case .no: self = .bool(false)
        case .yes: self = .bool(true)
        case .number: self = .number(Number(verified: tape.string(entry)))
        case .string, .name: self = .string(tape.string(entry))
        case .null, .array, .object: self = .null
        }
    }
}
