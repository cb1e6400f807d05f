/// What is known of the values in one place: of which kinds they are, and of what they are made.
///
/// It is read off a Swift type, or off values that were seen; of both the same schemas and declarations are written.
package struct ValueShape: Sendable, Equatable {
    /// Kinds of values that have no others in them.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let null = Kinds(rawValue: 1)
        package static let boolean = Kinds(rawValue: 2)
        package static let integer = Kinds(rawValue: 4)
        package static let number = Kinds(rawValue: 8)
        package static let string = Kinds(rawValue: 16)
    }

    /// The members of objects.
    package struct Members: Sendable, Equatable {
        package var known: [(name: String, shape: ValueShape)] = []
        /// Those that every object has.
        package var required: Set<JSON.Bytewise> = []
        /// What stands under any other name; none or one.
        package var others: [ValueShape] = []

        package init(
            known: [(name: String, shape: ValueShape)] = [], required: Set<JSON.Bytewise> = [],
            others: [ValueShape] = []
        ) {
            self.known = known
            self.required = required
            self.others = others
        }

        package static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.required == rhs.required && lhs.others == rhs.others
                && lhs.known.elementsEqual(rhs.known) {
                    JSON.Bytewise($0.name) == JSON.Bytewise($1.name) && $0.shape == $1.shape
                }
        }
    }

    package var kinds: Kinds = []
    /// Nothing is known: it may be anything.
    package var isAny = false
    /// What texts look like, in the words of JSON Schema.
    package var format: String?
    /// The only values that there are, in place of all of their kind.
    package var cases: [JSON]?
    /// What stands in arrays; none or one, nil where there are no arrays.
    package var elements: [ValueShape]?
    /// What stands in objects; nil where there are none.
    package var members: Members?

    package init(_ kinds: Kinds = []) { self.kinds = kinds }

    package static let any: ValueShape = {
        var shape = ValueShape()
        shape.isAny = true
        return shape
    }()

    /// No value was seen.
    package var isEmpty: Bool { !isAny && kinds.isEmpty && elements == nil && members == nil }

    /// Whether nothing may stand there as well.
    package var takesNull: Bool { isAny || kinds.contains(.null) }

    /// The same, or `null`.
    package var orNull: ValueShape {
        var shape = self
        if !isAny { shape.kinds.insert(.null) }
        return shape
    }

    // MARK: Values that were seen

    /// More members than this are no names that somebody has chosen, but ids: what stands under them is one.
    static let mostMembers = 100
    private static let deepest = 20
    /// More parts than this tell nobody anything; the deepest go.
    private static let mostParts = 2000

    /// What values have in common.
    package init(of values: [JSON]) {
        self = values.reduce(into: ValueShape()) { $0.merge(ValueShape(of: $1)) }
        var depth = Self.deepest
        while partCount > Self.mostParts, depth > 1 {
            depth -= 1
            self = cut(to: depth)
        }
    }

    /// What one value is.
    init(of value: JSON, depth: Int = 0) {
        guard depth < Self.deepest else {
            self = .any
            return
        }
        switch value {
        case .null: self = ValueShape(.null)
        case .bool: self = ValueShape(.boolean)
        case .number(let number): self = ValueShape(number.isWhole ? .integer : .number)
        case .string: self = ValueShape(.string)
        case .array(let elements):
            self = ValueShape()
            self.elements = []
            for element in elements { add(ValueShape(of: element, depth: depth + 1)) }
        case .object(let members):
            self = ValueShape()
            var known = Members()
            for (name, value) in members {
                known.known.append((name, ValueShape(of: value, depth: depth + 1)))
                known.required.insert(JSON.Bytewise(name))
            }
            self.members = known.collapsed
        }
    }

    /// Something stands in the array.
    private mutating func add(_ element: ValueShape) {
        guard let known = elements?.first else {
            elements = [element]
            return
        }
        elements = [known.merged(element)]
    }

    // MARK: Merging

    /// What fits either of both.
    package func merged(_ other: ValueShape) -> ValueShape {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// Lets others fit as well.
    package mutating func merge(_ other: ValueShape) {
        if isAny || other.isEmpty { return }
        if other.isAny || isEmpty {
            self = other
            return
        }
        let (mine, theirs) = (hasText, other.hasText)
        kinds.formUnion(other.kinds)
        if mine, theirs, format != other.format { format = nil } else if theirs { format = other.format }
        cases = mergedCases(other)
        if let theirs = other.elements {
            elements =
                elements.map { mine in
                    guard let one = mine.first, let other = theirs.first else { return mine + theirs }
                    return [one.merged(other)]
                } ?? theirs
        }
        if let theirs = other.members { members = members?.merged(theirs) ?? theirs }
    }

    private var hasText: Bool { kinds.contains(.string) }

    /// Cases hold for values without others in them, and only where both sides have nothing but those.
    private func mergedCases(_ other: ValueShape) -> [JSON]? {
        let (mine, theirs) = (kinds.subtracting(.null), other.kinds.subtracting(.null))
        if mine.isEmpty { return other.cases }
        if theirs.isEmpty { return cases }
        guard let cases, let others = other.cases else { return nil }
        return cases + others.filter { !cases.contains($0) }
    }

    // MARK: Size

    private var partCount: Int {
        1 + (elements ?? []).reduce(0) { $0 + $1.partCount }
            + (members.map { $0.known.map(\.shape) + $0.others } ?? []).reduce(0) { $0 + $1.partCount }
    }

    /// The same, where what lies deeper may be anything.
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
    /// What fits either of both: a member that one of them has not may be missing.
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

    /// The same; of too many names those that are no names.
    fileprivate var collapsed: Self {
        guard known.count > ValueShape.mostMembers || !others.isEmpty && !known.isEmpty else { return self }
        let all = known.map(\.shape) + others
        return Self(others: [all.reduce(into: ValueShape()) { $0.merge($1) }])
    }
}

extension ValueShape {
    /// Whether a value is one of these.
    package func takes(_ value: JSON) -> Bool {
        if isAny { return true }
        switch value {
        case .null: return kinds.contains(.null)
        case .bool: return kinds.contains(.boolean)
        case .number(let number):
            if let cases { return cases.contains { Condition.isEqual(value, $0) } }
            return kinds.contains(.number) || kinds.contains(.integer) && number.isWhole
        case .string:
            if let cases { return cases.contains(value) }
            return kinds.contains(.string)
        case .array(let values):
            guard let elements else { return false }
            return values.allSatisfy { elements.first?.takes($0) ?? true }
        case .object(let object):
            guard let members else { return false }
            let names = Set(object.map { JSON.Bytewise($0.key) })
            guard members.required.isSubset(of: names) else { return false }
            for (name, shape) in members.known {
                if let value = object[name], !shape.takes(value) { return false }
            }
            guard let others = members.others.first else { return true }
            return object.allSatisfy { member in
                members.known.contains { JSON.Bytewise($0.name) == JSON.Bytewise(member.key) }
                    || others.takes(member.value)
            }
        }
    }
}
