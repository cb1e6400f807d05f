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
}
