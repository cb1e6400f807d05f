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

    /// The lines, counted from 1, on which the members of a JSON text that is an object begin.
    package static func lines(ofMembersIn bytes: [UInt8]) throws(ParseError) -> [String: Int] {
        let tape = try JSONTape(parsing: bytes)
        guard tape[0].kind == .object else { return [:] }
        let lines = tape.values(in: 0).map { value in
            let name = tape[value - 1]
            return (
                tape.string(name), bytes.prefix(Int(name.position)).count { $0 == UInt8(ascii: "\n") } + 1
            )
        }
        return Dictionary(lines) { $1 }
    }
}
