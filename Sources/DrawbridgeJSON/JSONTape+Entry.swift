extension JSONTape {
    /// One value of a JSON text, or the name of a member, which stands before the member's value.
    package struct Entry {
        package enum Kind: UInt8 {
            case null, no, yes, number, string, name, array, object
        }

        /// The `parent` of the outermost value.
        package static let none = UInt32.max

        package let kind: Kind
        /// Whether the value came from a query or a form, where all is text.
        package var isText = false
        /// Whether `start` and `end` count in the tape's `aside` instead of its `bytes`.
        package var isAside = false
        /// For a name, its offset in the text; for a value, its index in its array or object.
        package var position: UInt32 = 0
        /// The place of the entry of the enclosing array or object.
        package var parent: UInt32 = none
        /// Where the characters begin; of an array or object, the number of its values.
        package var start: UInt32 = 0
        /// Where the characters end; of an array or object, the entry after its last.
        package var end: UInt32 = 0

        package var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }

        package var range: Range<Int> { Int(start)..<Int(end) }

        /// The number of values in an array or object.
        package var count: Int { Int(start) }
    }
}
