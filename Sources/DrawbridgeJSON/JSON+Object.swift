extension JSON {
    /// The members of a JSON object, in order, each name once.
    ///
    /// Names are compared byte by byte. A few members are searched one after the other; beyond that an index
    /// finds them, so a lookup stays fast in an object with 100,000 members.
    public struct Object: Sendable {
        private static let searchLimit = 8

        private var members: [(key: String, value: JSON)] = []
        private var index: [Bytewise: Int]?

        /// Makes an object without members.
        public init() {}

        /// Makes an object of members; if a name is repeated, its last value is kept.
        public init(_ members: some Sequence<(String, JSON)>) {
            for (key, value) in members { self[key] = value }
        }

        package init(unique members: [(key: String, value: JSON)]) {
            self.members = members
            if members.count > Self.searchLimit { buildIndex() }
        }
    }
}

extension JSON.Object {
    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member with this name.
    ///
    /// Setting a new name appends a member, setting an existing one keeps its position, setting `nil` removes it.
    public subscript(key: String) -> JSON? {
        get { position(of: key).map { members[$0].value } }
        set {
            if let newValue {
                set(newValue, for: key)
            } else if let position = position(of: key) {
                members.remove(at: position)
                index = nil
                if members.count > Self.searchLimit { buildIndex() }
            }
        }
    }

    private mutating func set(_ value: JSON, for key: String) {
        if let position = position(of: key) {
            members[position].value = value
            return
        }
        members.append((key, value))
        if index != nil {
            index?[JSON.Bytewise(key)] = members.count - 1
        } else if members.count > Self.searchLimit {
            buildIndex()
        }
    }

    private func position(of key: String) -> Int? {
        if let index { return index[JSON.Bytewise(key)] }
        return members.firstIndex { JSON.Bytewise($0.key) == JSON.Bytewise(key) }
    }

    private mutating func buildIndex() {
        var index = [JSON.Bytewise: Int](minimumCapacity: members.count)
        for position in members.indices { index[JSON.Bytewise(members[position].key)] = position }
        self.index = index
    }
}

extension JSON.Object: Sequence, ExpressibleByDictionaryLiteral, Hashable {
    /// Iterates over the members in order.
    public func makeIterator() -> IndexingIterator<[(key: String, value: JSON)]> { members.makeIterator() }

    /// Makes an object of members; if a name is repeated, its last value is kept.
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }

    /// Whether both have the same members, in any order.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.allSatisfy { rhs[$0.key] == $0.value }
    }

    /// Feeds the members to `hasher`, in agreement with `==`: their order does not matter.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(JSON.Bytewise(key))
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}

extension JSON {
    /// A string that is compared byte by byte, in UTF-8.
    ///
    /// `String` treats "é" as equal whether it is one scalar or two; as names of JSON members these are different.
    package struct Bytewise: Hashable {
        private let text: String

        package init(_ text: String) {
            self.text = text
        }

        package static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.text.utf8.span.withUnsafeBufferPointer { left in
                rhs.text.utf8.span.withUnsafeBufferPointer { left.hasSameBytes(as: $0) }
            }
        }

        package func hash(into hasher: inout Hasher) {
            text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
            hasher.combine(0xFF as UInt8)
        }
    }
}
