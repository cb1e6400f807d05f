/// The inputs and outputs of native calls as types of TypeScript, as far as mocks and calls tell them.
struct TypeScriptFile {
    let text: String

    /// The most calls of a name that are read, from the last one back, and the most bytes of these calls.
    private static let mostCalls = 100
    private static let mostBytes = 1 << 20

    init(_ catalogue: Catalogue) {
        var lines = [
            "// The inputs and outputs of native calls. Written by Drawbridge; fetch it again when they change.",
            "//",
            "// The comment above a type names its sources: reply (a value in a mock), seen (calls in the journal: there may",
            "// be others). A type without a source is unknown.",
            "",
        ]
        var calls = ["export interface NativeCalls {"]
        var taken: Set<String> = []
        let groups = Dictionary(grouping: catalogue.entries, by: \.pattern.text)
        for (text, entries) in groups.sorted(by: { $0.key < $1.key }) {
            let name = Self.typeName(of: text, unlike: &taken)
            let (inputs, outputs) = Self.seen(in: entries[0].calls ?? [])
            lines += Self.declaration("\(name)Input", replies: [], seen: inputs)
            lines += Self.declaration("\(name)Output", replies: entries.flatMap(\.values), seen: outputs)
            let path = String(text.dropFirst()).literal
            calls.append("    \(path): { input: \(name)Input; output: \(name)Output };")
        }
        self.text = (lines + calls + ["}"]).map { $0 + "\n" }.joined()
    }

    /// The type name for a pattern: `UserLogIn` for `user/log-in`; with a number if that is taken.
    private static func typeName(of pattern: String, unlike taken: inout Set<String>) -> String {
        let words = pattern.utf8.prefix(200).split { !$0.isAlphanumeric }.map { Substring($0) }
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

    private static func seen(in calls: [JournalRecord]) -> (inputs: [JSON], outputs: [JSON]) {
        var left = mostBytes
        let last = calls.suffix(mostCalls).reversed().prefix { call in
            left -= call.bytes
            return left >= 0
        }.reversed()
        let answered = last.filter { $0.state == .answered && $0.form == .value && $0.output.isWhole }
        return (
            last.compactMap { $0.readInput.map { $0.value ?? .null } }, answered.map { $0.shownOutput(nil) }
        )
    }

    private static func declaration(_ name: String, replies: [JSON], seen: [JSON]) -> [String] {
        let sources = [("reply", replies), ("seen", seen)].filter { !$0.1.isEmpty }.map(\.0)
        let comment = sources.isEmpty ? [] : ["// \(sources.joined(separator: ", "))"]
        let (values, type) = (replies + seen, TypeScript.type(of: replies + seen))
        let isInterface = type != TypeScript.unknown && values.allSatisfy { $0.objectValue != nil }
        return comment + [
            isInterface ? "export interface \(name) \(type)" : "export type \(name) = \(type);", "",
        ]
    }
}

/// The type that some values have in common; names and strings from pages are escaped literals in it, in ASCII.
enum TypeScript {
    static let unknown = "unknown"
    /// The number of members above which their names are taken for ids, and all values share one type.
    static let mostMembers = 100
    private static let deepest = 20
    /// The length above which a type is useless, and its deepest parts are unknown.
    private static let longest = 100_000

    static func type(of values: [JSON]) -> String {
        var (type, depth) = (self.type(of: values, depth: deepest), deepest)
        while type.utf8.count > longest, depth > 1 {
            depth -= 1
            type = self.type(of: values, depth: depth)
        }
        return type
    }

    private static func type(of values: [JSON], depth: Int) -> String {
        guard depth > 0, !values.isEmpty, !values.contains(Template.unknown) else { return unknown }
        var types: [String] = []
        let (objects, arrays) = (values.compactMap(\.objectValue), values.compactMap(\.arrayValue))
        if !objects.isEmpty { types.append(type(of: objects, depth: depth)) }
        if !arrays.isEmpty { types.append("Array<\(type(of: arrays.flatMap(\.self), depth: depth - 1))>") }
        if values.contains(where: { $0.stringValue != nil }) { types.append("string") }
        if values.contains(where: { $0.numberValue != nil }) { types.append("number") }
        if values.contains(where: { $0.boolValue != nil }) { types.append("boolean") }
        if values.contains(where: \.isNull) { types.append("null") }
        return types.joined(separator: " | ")
    }

    /// A member that not all objects have is optional.
    private static func type(of objects: [JSON.Object], depth: Int) -> String {
        var places: [JSON.Bytewise: Int] = [:]
        var members: [(name: String, values: [JSON])] = []
        for (name, value) in objects.joined() {
            if let place = places[JSON.Bytewise(name)] {
                members[place].values.append(value)
            } else {
                places[JSON.Bytewise(name)] = members.count
                members.append((name, [value]))
            }
        }
        if members.isEmpty || members.count > mostMembers {
            return "{ [name: string]: \(type(of: members.flatMap(\.values), depth: depth - 1)) }"
        }
        let texts = members.map { name, values in
            let mark = values.count < objects.count ? "?" : ""
            return "\(name.literal)\(mark): \(type(of: values, depth: depth - 1))"
        }
        return "{ \(texts.joined(separator: "; ")) }"
    }
}

extension Catalogue.Entry {
    /// The values that its replies answer, as far as they are known.
    fileprivate var values: [JSON] {
        let last = replies.firstIndex(where: \.reply.alwaysAnswers) ?? replies.count - 1
        return replies.prefix(last + 1).flatMap(\.reply.values)
    }
}

// What is known of a reply's answers before it gives them.
extension Reply {
    /// Whether it answers any input, so that neither the next layers nor the handler are asked.
    fileprivate var alwaysAnswers: Bool {
        switch outcome {
        case .value, .template, .error, .silence, .missing, .raw, .forward: true
        case .pass: false
        case .sequence, .ask: inner.allSatisfy(\.alwaysAnswers)
        case .cases(let cases):
            // An earlier case that fits and passes hides later ones, so all must answer, and one must fit any input.
            inner.allSatisfy(\.alwaysAnswers) && cases.contains { $0.condition == nil }
        }
    }

    fileprivate var values: [JSON] {
        switch outcome {
        case .value(let bytes): (try? JSON(parsing: bytes)).map { [$0] } ?? []
        case .template(let template): [template.sample]
        // The answers of another program are not known.
        case .error, .silence, .missing, .pass, .raw, .forward: []
        case .sequence, .cases, .ask: inner.flatMap(\.values)
        }
    }
}

extension String {
    /// A JavaScript string literal in ASCII: no character from a page can end the literal, a comment or a line.
    fileprivate var literal: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~" where scalar != "<": text.unicodeScalars.append(scalar)
            default: text += scalar.utf16.map { "\\u" + JSON.hexadecimal($0) }.joined()
            }
        }
        return text + "\""
    }
}
