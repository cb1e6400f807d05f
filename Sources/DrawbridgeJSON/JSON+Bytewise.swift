extension JSON {
    /// A text that equals another only when the UTF-8 bytes do.
    ///
    /// `String` calls "é" the same whether written as one scalar or as two; to JSON they are two names.
    package struct Bytewise: Hashable {
        private let text: String

        package init(_ text: String) {
            self.text = text
        }

        package static func == (lhs: Self, rhs: Self) -> Bool {
            guard lhs.text.utf8.count == rhs.text.utf8.count else { return false }
            let (left, right) = (lhs.text.utf8.span, rhs.text.utf8.span)
            for position in left.indices where left[position] != right[position] { return false }
            return true
        }

        package func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(0xFF as UInt8)
        }
    }
}
