/// The items of a query or of a form, in order: `a=1&b=2`.
///
/// Names and values are percent-decoded and `+` is a space, as pages write them.
public struct Query: Sendable, Equatable, Sequence {
    /// One item; an item without `=` has an empty value.
    public struct Item: Sendable, Equatable {
        /// The name, percent-decoded, with `+` as a space.
        public let name: String
        /// The value, percent-decoded, with `+` as a space.
        public let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Reads the text of one item, which is between two `&`.
        ///
        /// Bytes that are not UTF-8 become replacement characters: a query alone is never an error.
        package init(_ text: Substring.UTF8View) {
            let equals = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
            name = Self.decode(text[..<equals])
            value = Self.decode(text[equals...].dropFirst())
        }

        private static func decode(_ text: Substring.UTF8View) -> String {
            Percent.decode(text, plusIsSpace: true) ?? String(decoding: text, as: UTF8.self)
        }
    }

    private var items: [Item]

    /// Reads the text after the `?` of a target, or a form's body.
    public init(_ text: String) {
        items = text.utf8.split(separator: UInt8(ascii: "&")).map(Item.init)
    }

    /// The value of the first item with this name.
    ///
    /// Setting it replaces every item of the name; nil removes them.
    public subscript(name: String) -> String? {
        get { items.first { $0.name == name }?.value }
        set {
            let place = items.firstIndex { $0.name == name } ?? items.endIndex
            items.removeAll { $0.name == name }
            if let newValue {
                items.insert(Item(name: name, value: newValue), at: Swift.min(place, items.count))
            }
        }
    }

    /// All values with this name, in order.
    public func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    package var isEmpty: Bool { items.isEmpty }

    /// The query as text, percent-encoded.
    public var text: String {
        items.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(separator: "&")
    }

    /// Iterates over the items, in order.
    public func makeIterator() -> IndexingIterator<[Item]> { items.makeIterator() }
}
