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
