import HTTPGrammar

/// What is sent to each name and what it answers, as far as that is known.
struct NativeTypes {
    /// Where it is known from.
    enum Source: String, CaseIterable {
        /// A Swift type.
        case type
        /// A reply that says a value.
        case reply
        /// Calls of the journal.
        case seen
    }

    /// What stands in one place.
    struct Typed {
        var shape = ValueShape()
        var sources: Set<Source> = []

        mutating func add(_ other: ValueShape?, from source: Source) {
            // A type that takes anything says nothing.
            guard let other, !other.isEmpty, !other.isAny || source != .type else { return }
            shape.merge(other)
            sources.insert(source)
        }

        /// Where it is known from, in words; nil where nothing is known.
        var origin: String? {
            sources.isEmpty
                ? nil
                : Source.allCases.filter(sources.contains).map(\.rawValue).joined(separator: ", ")
        }
    }

    struct Name {
        let pattern: RoutePattern
        /// The name of its types: of ASCII letters and digits, and nobody else's.
        let typeName: String
        var input = Typed()
        var output = Typed()
        /// The types of answers that go out as they stand.
        var rawTypes: Set<String> = []
        /// The methods that a program asks by.
        var methods: [String] = []

        var text: String { String(pattern.text.dropFirst()) }
    }

    let names: [Name]

    /// What is looked at of each name: calls, and bytes of them.
    private static let mostCalls = 100
    private static let mostBytes = 1 << 20

    init(_ catalogue: Catalogue, _ seen: SeenCalls?) {
        var taken: Set<String> = []
        var names: [Name] = []
        for group in Dictionary(grouping: catalogue.entries, by: \.pattern.text).sorted(by: {
            $0.key < $1.key
        }) {
            let pattern = group.value[0].pattern
            var name = Name(pattern: pattern, typeName: Self.typeName(of: pattern, unlike: &taken))
            let calls = seen?[group.value[0]].suffix(Self.mostCalls) ?? []
            for entry in group.value { name.add(entry) }
            name.add(Array(calls))
            names.append(name)
        }
        self.names = names
    }

    /// `user/log-in` is `UserLogIn`; of two that come to the same, the second has a number.
    private static func typeName(of pattern: RoutePattern, unlike taken: inout Set<String>) -> String {
        var name = ""
        var begins = true
        for byte in pattern.text.utf8.prefix(200) {
            guard byte.isAlphanumeric else {
                begins = true
                continue
            }
            let letter = String(UnicodeScalar(byte))
            name += begins ? letter.uppercased() : letter
            begins = false
        }
        if name.isEmpty || name.utf8.first.map({ $0 < 0x40 }) == true { name = "Call\(name)" }
        var number = 2
        var own = name
        // What is compared without regard to case is no file's name only here, but elsewhere it often is.
        while !taken.insert(own.lowercased()).inserted {
            own = "\(name)_\(number)"
            number += 1
        }
        return own
    }

    /// The inputs and outputs of calls, the last ones, in so many bytes.
    fileprivate static func values(
        of calls: [JournalRecord], _ value: (JournalRecord) -> (bytes: Int, json: JSON?)
    ) -> [JSON] {
        var left = mostBytes
        var values: [JSON] = []
        for call in calls.reversed() {
            let (bytes, json) = value(call)
            left -= bytes
            guard left >= 0 else { break }
            if let json { values.append(json) }
        }
        return values.reversed()
    }
}

extension NativeTypes.Name {
    /// What types and replies say.
    fileprivate mutating func add(_ entry: Catalogue.Entry) {
        var isReached = true
        for reply in entry.replies where isReached {
            output.add(reply.reply.shape, from: .reply)
            isReached = !reply.reply.alwaysAnswers
        }
        for route in entry.routes {
            let typed = route.handler as? any JSONHandler.Type
            // Behind a reply that always answers, nobody asks what its handler would take.
            if isReached {
                input.add(typed?.inputShape, from: .type)
                output.add(typed?.outputShape, from: .type)
            }
            let method =
                route.handler.methods.flatMap { $0.contains(.post) ? nil : $0.first?.rawValue } ?? "POST"
            if !methods.contains(method) { methods.append(method) }
        }
    }

    /// What was seen, where no type says it.
    fileprivate mutating func add(_ calls: [JournalRecord]) {
        let inputs = NativeTypes.values(of: calls) { call in
            (call.input.bytes.count, call.readInput.map { $0.value ?? .null })
        }
        if !input.sources.contains(.type), !inputs.isEmpty { input.add(ValueShape(of: inputs), from: .seen) }
        for call in calls where call.state == .answered {
            if case .raw(let type) = call.form, !type.isEmpty { rawTypes.insert(type) }
        }
        let outputs = NativeTypes.values(of: calls) { call in
            guard call.state == .answered, call.form == .value, call.output.isWhole else { return (0, nil) }
            return (call.output.bytes.count, call.shownOutput(nil))
        }
        // A type may write itself otherwise than it reads itself; what was seen shows that.
        if output.sources.contains(.type), !outputs.allSatisfy(output.shape.takes) { output = .init() }
        if !output.sources.contains(.type), !outputs.isEmpty {
            output.add(ValueShape(of: outputs), from: .seen)
        }
    }
}

extension JSONHandler {
    /// What its input is; nil where its type does not tell.
    fileprivate static var inputShape: ValueShape? { TypeProbe.shape(of: Input.self) }

    /// What its output is, where that type can be read as well as written.
    fileprivate static var outputShape: ValueShape? {
        if Output.self == Nothing.self { return ValueShape(.null) }
        return (Output.self as? any Decodable.Type).flatMap { TypeProbe.shape(of: $0) }
    }
}
