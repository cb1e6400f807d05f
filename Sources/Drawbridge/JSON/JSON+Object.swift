extension JSON {
    /// The members of a JSON object, in order, each name once.
    ///
    /// Names are compared byte by byte. A few members are searched one after the other; beyond that an index
    /// finds them, so a lookup stays fast in an object with 100,000 members.
    public struct Object: Sendable {
        /// One member.
        public typealias Element = (key: String, value: JSON)

        /// Beyond this many members the index is kept.
        private static let searchLimit = 8

        private var members: [Element] = []
        private var index: [Bytewise: Int]?

        /// Makes an object without members.
        public init() {}

        /// Makes an object of members; where a name is repeated, its last value counts.
        public init(_ members: some Sequence<(String, JSON)>) {
            for (key, value) in members { self[key] = value }
        }

        /// Takes members as they are, unless a name is repeated.
        init(unique members: [Element]) throws(Repetition) {
            self.members = members
            if members.count <= Self.searchLimit {
                for later in members.indices.dropFirst() {
                    let name = Bytewise(members[later].key)
                    for earlier in 0..<later where Bytewise(members[earlier].key) == name {
                        throw Repetition(position: later)
                    }
                }
            } else if let position = buildIndex() {
                throw Repetition(position: position)
            }
        }

        /// A name that an object was to have twice.
        struct Repetition: Error {
            /// Where the name comes for the second time.
            let position: Int
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
    /// Setting a new name appends a member, setting a known one keeps its place, setting `nil` removes it.
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

    /// Sets or appends a member and tells where it stands.
    @discardableResult
    mutating func set(_ value: JSON, for key: String) -> Int {
        if let position = position(of: key) {
            members[position].value = value
            return position
        }
        members.append((key, value))
        if index != nil {
            index?[JSON.Bytewise(key)] = members.count - 1
        } else if members.count > Self.searchLimit {
            buildIndex()
        }
        return members.count - 1
    }

    /// Replaces the value of the member at a position.
    mutating func replaceValue(at position: Int, with value: JSON) {
        members[position].value = value
    }

    /// Where the member with this name stands.
    func position(of key: String) -> Int? {
        if let index { return index[JSON.Bytewise(key)] }
        return members.firstIndex { JSON.Bytewise($0.key) == JSON.Bytewise(key) }
    }

    /// Indexes every member, or stops at the first name that repeats and tells its position.
    @discardableResult
    private mutating func buildIndex() -> Int? {
        var index = [JSON.Bytewise: Int](minimumCapacity: members.count)
        for position in members.indices {
            let earlier = index.updateValue(position, forKey: JSON.Bytewise(members[position].key))
            if earlier != nil { return position }
        }
        self.index = index
        return nil
    }
}

extension JSON.Object: Sequence {
    /// Goes through the members in order.
    public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }

    /// The number of members.
    public var underestimatedCount: Int { members.count }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Makes an object of members; where a name is repeated, its last value counts.
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}

extension JSON.Object: Hashable {
    /// Whether both have the same members, in whatever order.
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
