#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value with templates in its strings, such as `{{input.orderNo}}`.
///
/// A string that is nothing but a template becomes what it stands for, with its type. Within a longer string it becomes
/// text. What is filled in is never read for templates again, and names of members have none.
struct Template: Sendable {
    /// What stands between `{{` and `}}`.
    enum Source: Sendable, Equatable {
        case input([String])
        case uuid
        case userAgent

        /// Nil for a word that is none.
        init?(_ word: Substring) {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            switch parts.first {
            case "input" where !parts.contains(""): self = .input(Array(parts.dropFirst()))
            case "uuid" where parts.count == 1: self = .uuid
            case "userAgent" where parts.count == 1: self = .userAgent
            default: return nil
            }
        }
    }

    private enum Piece: Sendable {
        case text(String)
        case source(Source, word: String)
    }

    private indirect enum Node: Sendable {
        case constant(JSON)
        case whole(Source, word: String)
        case text([Piece])
        case array([Node])
        case object([(name: String, node: Node)])

        var looksAtInput: Bool {
            switch self {
            case .constant: false
            case .whole(let source, _): source.looksAtInput
            case .text(let pieces):
                pieces.contains { if case .source(let source, _) = $0 { source.looksAtInput } else { false } }
            case .array(let nodes): nodes.contains(where: \.looksAtInput)
            case .object(let members): members.contains(where: \.node.looksAtInput)
            }
        }
    }

    /// A string whose `{{…}}` nobody can fill in.
    struct UnknownWord: Error {
        let word: String
    }

    private let root: Node
    let looksAtInput: Bool

    /// - Throws: an ``UnknownWord`` where a string has a template that stands for nothing.
    init(_ value: JSON) throws(UnknownWord) {
        root = try Self.node(value)
        looksAtInput = root.looksAtInput
    }

    /// The value, filled in.
    ///
    /// - Parameter missing: told the templates that stand for nothing in this input, and so became `null` or no text.
    func filled(_ input: ReplyInput, missing: (String) -> Void = { _ in }) -> JSON {
        Self.fill(root, input, missing)
    }

    private static func node(_ value: JSON) throws(UnknownWord) -> Node {
        switch value {
        case .string(let string):
            let pieces = try pieces(of: string)
            if case .source(let source, let word)? = pieces.first, pieces.count == 1 {
                return .whole(source, word: word)
            }
            let isConstant = pieces.allSatisfy { if case .text = $0 { true } else { false } }
            return isConstant ? .constant(value) : .text(pieces)
        case .array(let elements):
            var nodes: [Node] = []
            for element in elements { nodes.append(try node(element)) }
            return .array(nodes)
        case .object(let members):
            var nodes: [(name: String, node: Node)] = []
            for (name, value) in members { nodes.append((name, try node(value))) }
            return .object(nodes)
        default: return .constant(value)
        }
    }

    private static func pieces(of string: String) throws(UnknownWord) -> [Piece] {
        var pieces: [Piece] = []
        var rest = string[...]
        while let begin = rest.firstRange(of: "{{"),
            let end = rest[begin.upperBound...].firstRange(of: "}}")
        {
            let word = rest[begin.upperBound..<end.lowerBound]
            guard let source = Source(word) else { throw UnknownWord(word: String(word)) }
            if begin.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<begin.lowerBound]))) }
            pieces.append(.source(source, word: String(word)))
            rest = rest[end.upperBound...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    private static func fill(_ node: Node, _ input: ReplyInput, _ missing: (String) -> Void) -> JSON {
        switch node {
        case .constant(let value): return value
        case .whole(let source, let word):
            let value = source.value(in: input)
            if value == nil { missing(word) }
            return value ?? .null
        case .text(let pieces): return .string(pieces.map { fill($0, input, missing) }.joined())
        case .array(let nodes): return .array(nodes.map { fill($0, input, missing) })
        case .object(let members):
            return .object(JSON.Object(unique: members.map { ($0.name, fill($0.node, input, missing)) }))
        }
    }

    private static func fill(_ piece: Piece, _ input: ReplyInput, _ missing: (String) -> Void) -> String {
        switch piece {
        case .text(let text): return text
        case .source(let source, let word):
            guard let value = source.value(in: input), !value.isNull else {
                missing(word)
                return ""
            }
            return value.stringValue ?? "\(value)"
        }
    }
}

extension Template.Source {
    var looksAtInput: Bool { if case .input = self { true } else { false } }

    /// What it stands for; nil where the input has nothing there.
    func value(in input: ReplyInput) -> JSON? {
        switch self {
        case .uuid: .string(UUID().uuidString.lowercased())
        case .userAgent: .string(input.userAgent)
        case .input(let path):
            path.reduce(input.value) { value, name in
                if case .array = value { Int(name).flatMap { value?[$0] } } else { value?[name] }
            }
        }
    }
}
