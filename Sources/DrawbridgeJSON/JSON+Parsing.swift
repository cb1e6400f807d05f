extension JSON {
    /// Reads a JSON text: UTF-8, one value, nothing but white space around it (RFC 8259).
    ///
    /// A name that an object repeats is refused, since readers disagree about which value counts.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumDepth: How many arrays and objects may stand inside each other. Reading takes no stack, but
    ///     comparing, writing and releasing the value does; keep the limit where threads have little.
    /// - Throws: ``ParseError``, which tells what is wrong and where.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(ParseError) {
        self.init(try JSONTape(parsing: bytes, maximumDepth: maximumDepth))
    }
}

extension JSONTape {
    /// - Parameter allowsRepetition: takes an object with two members of one name.
    package convenience init(
        parsing bytes: [UInt8], maximumDepth: Int = 512, allowsRepetition: Bool = false
    ) throws(JSON.ParseError) {
        let (entries, aside) = try bytes.withUnsafeBufferPointer { bytes throws(JSON.ParseError) in
            var parser = JSONParser(bytes, maximumDepth: maximumDepth, allowsRepetition: allowsRepetition)
            try parser.document()
            return (parser.entries, parser.aside)
        }
        self.init(bytes, entries: entries, aside: aside)
    }
}

extension JSON {
    /// Why a text is not JSON, and where.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        /// The number of bytes before the fault.
        public let offset: Int
        /// The line of the fault, counted from 1.
        public let line: Int
        /// The byte of that line, counted from 1.
        public let column: Int
        /// What is wrong, in plain words.
        public let message: String

        /// Where and what, such as `line 2, column 9: expected ',' or ']', found '}'`.
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

    /// The JSON text with `//` comments overwritten by spaces, so that errors keep their lines and columns.
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

    /// Makes the value that stands at a place of a tape, without recursion.
    ///
    /// The tape is read from its end to its beginning. So when an array or object comes, its values are made already:
    /// they stand at the end of one list, in reverse order, and are taken from there.
    package init(_ tape: JSONTape, at place: Int = 0) {
        if !tape[place].isContainer {
            self.init(scalar: tape[place], of: tape)
            return
        }
        var values: [JSON] = []
        var names: [String] = []
        for place in (place..<tape.next(after: place)).reversed() {
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
