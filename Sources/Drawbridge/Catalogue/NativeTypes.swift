/// The types of the input and output of each name, as far as mocks and calls tell them.
struct NativeTypes {
    struct Typed {
        var shape = ValueShape()
        /// The sources of the shape: `reply` for a reply with a value, `seen` for calls of the journal.
        var sources: [String] = []

        mutating func add(_ other: ValueShape, from source: String) {
            guard !other.isEmpty else { return }
            shape.merge(other)
            if !sources.contains(source) { sources.append(source) }
        }
    }

    struct Name {
        let pattern: RoutePattern
        /// The beginning of the names of its TypeScript types, unique: ASCII letters, digits and `_`.
        let typeName: String
        var input = Typed()
        var output = Typed()
    }

    let names: [Name]

    /// The most calls of a name that are read, from the last one back, and the most bytes of these calls.
    private static let mostCalls = 100
    private static let mostBytes = 1 << 20

    init(_ catalogue: Catalogue) {
        var taken: Set<String> = []
        var names: [Name] = []
        let groups = Dictionary(grouping: catalogue.entries, by: \.pattern.text)
        for (_, entries) in groups.sorted(by: { $0.key < $1.key }) {
            let pattern = entries[0].pattern
            var name = Name(pattern: pattern, typeName: Self.typeName(of: pattern, unlike: &taken))
            for entry in entries { name.add(entry) }
            var left = Self.mostBytes
            let last = (entries[0].calls ?? []).suffix(Self.mostCalls).reversed().prefix {
                left -= $0.bytes
                return left >= 0
            }
            name.add(last.reversed())
            names.append(name)
        }
        self.names = names
    }

    /// The type name for a pattern: `UserLogIn` for `user/log-in`; with a number if that is taken.
    private static func typeName(of pattern: RoutePattern, unlike taken: inout Set<String>) -> String {
        let words = pattern.text.utf8.prefix(200).split { !$0.isAlphanumeric }.map { Substring($0) }
        var name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if name.first?.isLetter != true { name = "Call\(name)" }
        var number = 2
        var own = name
        // Generated code may use these as file names, which some systems compare without regard to case.
        while !taken.insert(own.lowercased()).inserted {
            own = "\(name)_\(number)"
            number += 1
        }
        return own
    }
}

extension NativeTypes.Name {
    fileprivate mutating func add(_ entry: Catalogue.Entry) {
        for reply in entry.replies {
            output.add(reply.reply.shape, from: "reply")
            if reply.reply.alwaysAnswers { return }
        }
    }

    fileprivate mutating func add(_ calls: [JournalRecord]) {
        let inputs = calls.compactMap { $0.readInput.map { $0.value ?? .null } }
        input.add(ValueShape(of: inputs), from: "seen")
        let answered = calls.filter { $0.state == .answered && $0.form == .value && $0.output.isWhole }
        output.add(ValueShape(of: answered.map { $0.shownOutput(nil) }), from: "seen")
    }
}

// What is known of a reply's answers before it gives them.
extension Reply {
    /// Whether it answers any input, so that neither the next layers nor the handler are asked.
    var alwaysAnswers: Bool {
        switch outcome {
        case .value, .template, .error, .silence, .missing, .raw, .forward: true
        case .pass: false
        case .sequence, .ask: inner.allSatisfy(\.alwaysAnswers)
        case .cases(let cases):
            // An earlier case that fits and passes hides later ones, so all must answer, and one must fit any input.
            inner.allSatisfy(\.alwaysAnswers) && cases.contains { $0.condition == nil }
        }
    }

    /// The shape of the values that it answers, as far as it is known.
    var shape: ValueShape {
        switch outcome {
        case .value(let bytes): (try? JSON(parsing: bytes)).map { ValueShape(of: [$0]) } ?? ValueShape()
        case .template(let template): template.shape
        // The answers of another program are not known.
        case .error, .silence, .missing, .pass, .raw, .forward: ValueShape()
        case .sequence, .cases, .ask: inner.reduce(into: ValueShape()) { $0.merge($1.shape) }
        }
    }
}
