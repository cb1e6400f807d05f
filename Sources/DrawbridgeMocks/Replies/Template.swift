#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value with templates in its strings, such as `{{input.orderNo}}`.
///
/// A string that is a single template becomes the value that the template names, with its type; in a longer string the
/// value becomes text. Filled-in values and the names of members are not searched for templates.
package struct Template: Sendable {
    enum Source: Sendable, Equatable {
        case input([String])
        case uuid
        case userAgent
        /// Two opening braces as text, written `{{"{{"}}`.
        case braces

        init?(_ word: Substring) {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            switch parts.first {
            case "input" where !parts.contains(""): self = .input(Array(parts.dropFirst()))
            case "uuid" where parts.count == 1: self = .uuid
            case "userAgent" where parts.count == 1: self = .userAgent
            case #""{{""# where parts.count == 1: self = .braces
            default: return nil
            }
        }
    }

    private indirect enum Node: Sendable {
        case constant(JSON)
        case whole(Source, word: String)
        /// A string of several parts: constant strings, and values that are filled in.
        case text([Node])
        case array([Node])
        case object([(name: String, node: Node)])
        /// A value that is serialised as JSON into a string (`$text`).
        case written(Node)

        var looksAtInput: Bool {
            switch self {
            case .constant: false
            case .whole(let source, _): source.looksAtInput
            case .text(let nodes), .array(let nodes): nodes.contains(where: \.looksAtInput)
            case .object(let members): members.contains(where: \.node.looksAtInput)
            case .written(let node): node.looksAtInput
            }
        }
    }

    struct UnknownWord: Error {
        let word: String
    }

    package struct TooLarge: Error {}

    /// The most bytes that may be filled in, since a reply may contain `{{input}}` many times.
    package static let mostBytes = 8 << 20

    private let root: Node
    var isConstant: Bool { if case .constant = root { true } else { false } }
    package let looksAtInput: Bool

    static let nothing = Template(root: .constant(.null))

    private init(root: Node) { (self.root, looksAtInput) = (root, root.looksAtInput) }

    /// - Parameter isWritten: whether the result is a string of JSON, for pages that call `JSON.parse` on the answer.
    /// - Throws: an ``UnknownWord`` for an unknown template.
    init(_ value: JSON, isWritten: Bool = false) throws(UnknownWord) {
        let node = try Self.node(value)
        self.init(root: isWritten ? .written(node) : node)
    }

    /// The value with its templates filled in.
    ///
    /// - Parameter missing: called with each template for which the input has no value; `null` or "" is filled in.
    package func filled(
        _ input: ReplyInput, missing: (String) -> Void = { _ in }
    ) throws(TooLarge) -> JSON {
        var filling = Filling(input: input)
        let value = try filling.fill(root)
        filling.missing.forEach(missing)
        return value
    }

    private static func node(_ value: JSON) throws(UnknownWord) -> Node {
        switch value {
        case .string(let string):
            let pieces = try pieces(of: string)
            return pieces.count == 1 ? pieces[0] : .text(pieces)
        case .array(let elements):
            return .array(try elements.map(node))
        case .object(let members):
            return .object(
                try members.map { name, value throws(UnknownWord) in (name, try node(value)) })
        default: return .constant(value)
        }
    }

    private static func pieces(of string: String) throws(UnknownWord) -> [Node] {
        var pieces: [Node] = []
        var rest = string[...]
        while let begin = rest.firstRange(of: "{{"),
            let end = rest[begin.upperBound...].firstRange(of: "}}")
        {
            let word = rest[begin.upperBound..<end.lowerBound]
            guard let source = Source(word) else { throw UnknownWord(word: String(word)) }
            if begin.lowerBound > rest.startIndex {
                pieces.append(.constant(.string(String(rest[..<begin.lowerBound]))))
            }
            pieces.append(.whole(source, word: String(word)))
            rest = rest[end.upperBound...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.constant(.string(String(rest)))) }
        return pieces
    }

    private struct Filling {
        let input: ReplyInput
        var missing: [String] = []
        var left = mostBytes

        mutating func fill(_ node: Node) throws(TooLarge) -> JSON {
            switch node {
            case .constant(let value): return value
            case .whole(let source, let word): return try value(of: source, word) ?? .null
            case .text(let pieces):
                return .string(try pieces.map { piece throws(TooLarge) in try text(of: piece) }.joined())
            case .array(let nodes):
                return .array(try nodes.map { node throws(TooLarge) in try fill(node) })
            case .object(let members):
                let values = try members.map { name, node throws(TooLarge) in
                    (key: name, value: try fill(node))
                }
                return .object(JSON.Object(unique: values))
            case .written(let node): return .string("\(try fill(node))")
            }
        }

        private mutating func text(of piece: Node) throws(TooLarge) -> String {
            let known = missing.count
            let value = try fill(piece)
            guard value.isNull else { return value.stringValue ?? "\(value)" }
            if missing.count == known, case .whole(_, let word) = piece { missing.append(word) }
            return ""
        }

        /// The value of a template, counted against ``mostBytes``; nil if the input has no such value.
        private mutating func value(of source: Source, _ word: String) throws(TooLarge) -> JSON? {
            guard let value = source.value(in: input) else {
                missing.append(word)
                return nil
            }
            left -= value.stringValue?.utf8.count ?? value.bytes.count
            guard left >= 0 else { throw TooLarge() }
            return value
        }
    }
}

extension Template.Source {
    var looksAtInput: Bool { if case .input = self { true } else { false } }

    func value(in input: ReplyInput) -> JSON? {
        switch self {
        case .uuid: .string(UUID().uuidString.lowercased())
        case .userAgent: .string(input.userAgent)
        case .braces: "{{"
        case .input(let path):
            path.reduce(input.value) { value, name in
                let value = value?.read
                return if case .array = value { Int(name).flatMap { value?[$0] } } else { value?[name] }
            }
        }
    }
}
