/// The type of the values in one place: their kinds, and the shapes of their elements and members.
///
/// It is inferred from values that were seen and from templates, and written as TypeScript.
package struct ValueShape: Sendable {
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let null = Kinds(rawValue: 1)
        package static let boolean = Kinds(rawValue: 2)
        package static let number = Kinds(rawValue: 4)
        package static let string = Kinds(rawValue: 8)
    }

    package struct Members: Sendable {
        package var known: [(name: String, shape: ValueShape)] = []
        package var required: Set<JSON.Bytewise> = []
        /// The shape of values under any other name: an array of one, or empty if there are none.
        package var others: [ValueShape] = []
    }

    package var kinds: Kinds = []
    /// Whether nothing is known, so that any value is possible.
    package var isAny = false
    /// The shape of elements, in an array; empty if only empty arrays were seen, nil if no array was.
    package var elements: [ValueShape]?
    /// The members of objects; nil if no object was seen.
    package var members: Members?

    package init(_ kinds: Kinds = [], isAny: Bool = false) { (self.kinds, self.isAny) = (kinds, isAny) }

    package init(elements shapes: some Sequence<ValueShape>) {
        elements = []
        for shape in shapes { elements = [elements?.first?.merged(shape) ?? shape] }
    }

    package init(members known: [(name: String, shape: ValueShape)]) {
        members = Members(known: known, required: Set(known.map { JSON.Bytewise($0.name) })).collapsed
    }

    package static let any = ValueShape(isAny: true)

    package var isEmpty: Bool { !isAny && kinds.isEmpty && elements == nil && members == nil }

    /// The number of members above which their names are taken for ids, and all values share one shape.
    static let mostMembers = 100
    private static let deepest = 20
    /// The size above which a shape is useless, and its deepest parts are replaced by ``any``.
    private static let mostParts = 2000

    package init(of values: [JSON]) {
        self = values.reduce(into: ValueShape()) { $0.merge(ValueShape(of: $1)) }
        var depth = Self.deepest
        while partCount > Self.mostParts, depth > 1 {
            depth -= 1
            self = cut(to: depth)
        }
    }

    init(of value: JSON, depth: Int = 0) {
        guard depth < Self.deepest else {
            self = .any
            return
        }
        switch value {
        case .null: self.init(.null)
        case .bool: self.init(.boolean)
        case .number: self.init(.number)
        case .string: self.init(.string)
        case .array(let elements):
            self.init(elements: elements.lazy.map { ValueShape(of: $0, depth: depth + 1) })
        case .object(let members):
            self.init(members: members.map { ($0.key, ValueShape(of: $0.value, depth: depth + 1)) })
        }
    }

    package func merged(_ other: ValueShape) -> ValueShape {
        var merged = self
        merged.merge(other)
        return merged
    }

    package mutating func merge(_ other: ValueShape) {
        if isAny || other.isEmpty { return }
        if other.isAny || isEmpty {
            self = other
            return
        }
        kinds.formUnion(other.kinds)
        if let theirs = other.elements {
            elements = ValueShape(elements: (elements ?? []) + theirs).elements
        }
        if let theirs = other.members { members = members?.merged(theirs) ?? theirs }
    }

    private var partCount: Int {
        1 + (elements ?? []).reduce(0) { $0 + $1.partCount }
            + (members.map { $0.known.map(\.shape) + $0.others } ?? []).reduce(0) { $0 + $1.partCount }
    }

    private func cut(to depth: Int) -> ValueShape {
        guard depth > 0 else { return elements == nil && members == nil ? self : .any }
        var shape = self
        shape.elements = elements?.map { $0.cut(to: depth - 1) }
        if var members {
            members.known = members.known.map { ($0.name, $0.shape.cut(to: depth - 1)) }
            members.others = members.others.map { $0.cut(to: depth - 1) }
            shape.members = members
        }
        return shape
    }
}

extension ValueShape.Members {
    /// The members of objects of either shape; a member of only one of them is optional.
    fileprivate func merged(_ other: Self) -> Self {
        var merged = self
        var places: [JSON.Bytewise: Int] = [:]
        for (place, member) in known.enumerated() { places[JSON.Bytewise(member.name)] = place }
        for (name, shape) in other.known {
            if let place = places[JSON.Bytewise(name)] {
                merged.known[place].shape.merge(shape)
            } else {
                merged.known.append((name, shape))
            }
        }
        merged.required = required.intersection(other.required)
        if let others = other.others.first {
            merged.others = [merged.others.first?.merged(others) ?? others]
        }
        return merged.collapsed
    }

    /// The same members; or one shape for all values if there are so many names that they must be ids.
    fileprivate var collapsed: Self {
        guard known.count > ValueShape.mostMembers || !others.isEmpty && !known.isEmpty else { return self }
        let all = known.map(\.shape) + others
        return Self(others: [all.reduce(into: ValueShape()) { $0.merge($1) }])
    }
}
