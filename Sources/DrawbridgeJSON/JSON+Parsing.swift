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
    /// Reads a text, as ``JSON/init(parsing:maximumDepth:)`` does.
    ///
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
