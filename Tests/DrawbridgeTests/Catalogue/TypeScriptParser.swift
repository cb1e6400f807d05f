import Testing

@testable import Drawbridge

/// Reads what is declared in a file of TypeScript of our kind, and refuses whatever else is in it.
struct TypeScriptParser {
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case number(String)
        case sign(Character)
    }

    private var tokens: ArraySlice<Token> = []
    /// The names of declared types, and the keys of `NativeCalls`.
    private(set) var types: [String] = []
    private(set) var keys: [String] = []
    private(set) var comments: [String] = []

    /// - Throws: what is not a token.
    init(_ text: String) {
        do {
            tokens = try Self.tokens(Array(text.unicodeScalars), &comments)[...]
        } catch {
            Issue.record("\(error)")
        }
    }

    private static func tokens(_ text: [Unicode.Scalar], _ comments: inout [String]) throws -> [Token] {
        var tokens: [Token] = []
        var place = 0
        func rest(_ isPart: (Unicode.Scalar) -> Bool) -> String {
            let start = place
            while place < text.count, isPart(text[place]) { place += 1 }
            return String(String.UnicodeScalarView(text[start..<place]))
        }
        while place < text.count {
            let scalar = text[place]
            guard scalar.isASCII else { throw Unexpected(description: "\(scalar.escaped(asASCII: true))") }
            switch scalar {
            case " ", "\n": place += 1
            case "/":
                guard text[place + 1] == "/" else {
                    throw Unexpected(description: "a comment of another kind")
                }
                comments.append(rest { $0 != "\n" && $0 != "\r" && $0 != "\u{2028}" && $0 != "\u{2029}" })
            case "\"":
                let start = place
                place += 1
                while text[place] != "\"" {
                    guard text[place].value >= 0x20 else {
                        throw Unexpected(description: "a line ends in a text")
                    }
                    place += text[place] == "\\" ? 2 : 1
                }
                place += 1
                let literal = String(String.UnicodeScalarView(text[start..<place]))
                guard let value = try JSON(parsing: Array(literal.utf8)).stringValue else {
                    throw Unexpected(description: literal)
                }
                tokens.append(.text(value))
            case "0"..."9", "-":
                tokens.append(.number(rest { "0123456789+-.eE".unicodeScalars.contains($0) }))
            case "a"..."z", "A"..."Z", "_":
                tokens.append(
                    .word(rest { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }))
            case "{", "}", "[", "]", "<", ">", ":", ";", "|", "?", "=":
                tokens.append(.sign(Character(scalar)))
                place += 1
            default: throw Unexpected(description: "\(scalar)")
            }
        }
        return tokens
    }

    private mutating func next(_ wanted: Token) throws {
        guard let token = tokens.popFirst(), token == wanted else {
            throw Unexpected(description: "wanted \(wanted) before \(tokens.prefix(10))")
        }
    }

    private mutating func takes(_ sign: Character) -> Bool {
        guard tokens.first == .sign(sign) else { return false }
        tokens.removeFirst()
        return true
    }

    mutating func file() throws {
        while !tokens.isEmpty {
            try next(.word("export"))
            guard case .word(let kind)? = tokens.popFirst(), case .word(let name)? = tokens.popFirst() else {
                throw Unexpected(description: "no declaration")
            }
            types.append(name)
            switch kind {
            case "type":
                try next(.sign("="))
                try type()
                try next(.sign(";"))
            case "interface": try members(areCalls: name == "NativeCalls")
            default: throw Unexpected(description: kind)
            }
        }
        let declared = Set(types.map { $0.lowercased() })
        guard declared.count == types.count else { throw Unexpected(description: "declared twice: \(types)") }
    }

    private mutating func type() throws {
        repeat {
            switch tokens.first {
            case .text, .number: tokens.removeFirst()
            case .sign("{"): try members(areCalls: false)
            case .word("Array"):
                tokens.removeFirst()
                try next(.sign("<"))
                try type()
                try next(.sign(">"))
            case .word(let word):
                let isOwn = types.contains(word)
                guard isOwn || ["unknown", "string", "number", "boolean", "null"].contains(word) else {
                    throw Unexpected(description: word)
                }
                tokens.removeFirst()
            default: throw Unexpected(description: "\(tokens.prefix(10))")
            }
        } while takes("|")
    }

    private mutating func members(areCalls: Bool) throws {
        try next(.sign("{"))
        while !takes("}") {
            switch tokens.popFirst() {
            case .text(let name):
                if areCalls { keys.append(name) }
                _ = takes("?")
            case .word("input"), .word("output"): break
            case .sign("["):
                try next(.word("name"))
                try next(.sign(":"))
                try next(.word("string"))
                try next(.sign("]"))
            case let other: throw Unexpected(description: "\(String(describing: other))")
            }
            try next(.sign(":"))
            try type()
            _ = takes(";")
        }
    }
}
