import HTTPGrammar

/// The types of the input and output of each name, as far as they are known.
struct NativeTypes {
    /// Where a type is known from.
    enum Source: String, CaseIterable {
        /// A Swift type.
        case type
        /// A reply with a value.
        case reply
        /// Calls of the journal.
        case seen
    }

    struct Typed {
        var shape = ValueShape()
        var sources: Set<Source> = []

        mutating func add(_ other: ValueShape?, from source: Source) {
            // A Swift type that takes anything tells nothing.
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
        /// The name of its types, which no other has: ASCII letters and digits.
        let typeName: String
        var input = Typed()
        var output = Typed()
        /// The media types of answers that are sent as they are.
        var rawTypes: Set<String> = []
        var methods: [String] = []

        var text: String { String(pattern.text.dropFirst()) }
    }

    let names: [Name]

    /// The most calls of a name that are looked at, and the most bytes of them.
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
        // Generated code may use these as file names, which some systems compare without regard to case.
        while !taken.insert(own.lowercased()).inserted {
            own = "\(name)_\(number)"
            number += 1
        }
        return own
    }

    /// The inputs or outputs of the last calls, up to ``mostBytes``.
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
    /// Adds what Swift types and replies tell.
    fileprivate mutating func add(_ entry: Catalogue.Entry) {
        var isReached = true
        for reply in entry.replies where isReached {
            output.add(reply.reply.shape, from: .reply)
            isReached = !reply.reply.alwaysAnswers
        }
        for route in entry.routes {
            let typed = route.handler as? any JSONHandler.Type
            // After a reply that always answers, the handler is never asked, so its types do not matter.
            if isReached {
                input.add(typed?.inputShape, from: .type)
                output.add(typed?.outputShape, from: .type)
            }
            let method =
                route.handler.methods.flatMap { $0.contains(.post) ? nil : $0.first?.rawValue } ?? "POST"
            if !methods.contains(method) { methods.append(method) }
        }
    }

    /// Adds what calls in the journal show, where no Swift type tells.
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
        // A type may encode itself in another form than it decodes; outputs that do not fit show that.
        if output.sources.contains(.type), !outputs.allSatisfy(output.shape.takes) { output = .init() }
        if !output.sources.contains(.type), !outputs.isEmpty {
            output.add(ValueShape(of: outputs), from: .seen)
        }
    }
}

extension JSONHandler {
    /// The shape of its input; nil where the type does not tell.
    fileprivate static var inputShape: ValueShape? { TypeProbe.shape(of: Input.self) }

    /// The shape of its output, where that type can be decoded as well.
    fileprivate static var outputShape: ValueShape? {
        if Output.self == Nothing.self { return ValueShape(.null) }
        return (Output.self as? any Decodable.Type).flatMap { TypeProbe.shape(of: $0) }
    }
}
