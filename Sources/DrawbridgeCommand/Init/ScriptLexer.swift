/// Takes a script apart: JavaScript, or TypeScript, with JSX or without.
///
/// It is no parser. Where it cannot know (whether a slash begins a regular expression, or an apostrophe stands in the text
/// of JSX) it takes the reading that does less harm, and goes on.
struct ScriptLexer {
    /// A text in backticks that has a `${` open.
    private struct Template {
        let token: Int
        var depth = 0
    }

    private let bytes: ArraySlice<UInt8>
    private var place: Int
    private var line: Int
    private(set) var tokens: [ScriptToken] = []
    private var templates: [Template] = []
    /// Up to where nothing ends a quote, or a regular expression, that begins before: no place is read over and over.
    private var unended: [UInt8: Int] = [:]

    private init(_ bytes: ArraySlice<UInt8>, line: Int) {
        self.bytes = bytes
        place = bytes.startIndex
        self.line = line
    }

    /// The parts of a script that begins in a line.
    static func tokens(of bytes: ArraySlice<UInt8>, line: Int = 1) -> [ScriptToken] {
        var lexer = ScriptLexer(bytes, line: line)
        lexer.read()
        return lexer.tokens
    }

    private func byte(_ offset: Int = 0) -> UInt8? {
        place + offset < bytes.endIndex ? bytes[place + offset] : nil
    }

    private func isNext(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private mutating func read() {
        while let byte = byte() {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                place += 1
            case 0...0x20: place += 1
            case UInt8(ascii: "/"): readSlash()
            case UInt8(ascii: "\""), UInt8(ascii: "'"): readString(byte)
            case UInt8(ascii: "`"):
                tokens.append(ScriptToken(kind: .text(""), line: line))
                place += 1
                readTemplate(Template(token: tokens.count - 1))
            case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
            case _ where Self.isOfWord(byte): readWord()
            default: readMark(byte)
            }
        }
    }

    private mutating func readSlash() {
        if isNext("//") {
            while let byte = byte(), byte != UInt8(ascii: "\n") { place += 1 }
        } else if isNext("/*") {
            place += 2
            while byte() != nil, !isNext("*/") {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                place += 1
            }
            place = min(place + 2, bytes.endIndex)
        } else if !mayBeRegularExpression || !skipRegularExpression() {
            readMark(UInt8(ascii: "/"))
        }
    }

    /// Whether a value may begin here; behind `<` a slash ends an element of JSX.
    private var mayBeRegularExpression: Bool {
        switch tokens.last?.kind {
        case nil, .end: true
        case .mark(let mark): ![")", "]", "}", "<", "++", "--"].contains(mark)
        case .word(let word):
            Self.keywords.contains(word)
        case .text, .number: false
        }
    }

    /// False where no other slash ends it in the same line.
    private mutating func skipRegularExpression() -> Bool {
        guard place >= unended[UInt8(ascii: "/")] ?? 0 else { return false }
        var end = place + 1
        var isInClass = false
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\n") {
            switch bytes[end] {
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                place = end + 1
                tokens.append(ScriptToken(kind: .number, line: line))
                return true
            default: break
            }
            end += 1
        }
        unended[UInt8(ascii: "/")] = end
        return false
    }

    /// Whether a quote stands right behind a word that no value follows: `Don't`, in the text of an element.
    private var isApostrophe: Bool {
        guard place > bytes.startIndex, Self.isOfWord(bytes[place - 1]), let word = tokens.last?.word else {
            return false
        }
        return !Self.keywords.contains(word)
    }

    /// The words behind which a script that was made small may have a text at once.
    private static let keywords: Set<String> = [
        "as", "await", "case", "default", "delete", "do", "else", "export", "extends", "from", "import", "in",
        "instanceof", "new", "of", "return", "throw", "typeof", "void", "yield",
    ]

    /// A quote that nothing ends in its line is none: it stands in the text of an element.
    private mutating func readString(_ quote: UInt8) {
        guard place >= unended[quote] ?? 0, !isApostrophe else {
            place += 1
            return
        }
        var text: [UInt8] = []
        let start = (place: place, line: line)
        place += 1
        while let byte = byte(), byte != UInt8(ascii: "\n") {
            if byte == quote {
                place += 1
                tokens.append(
                    ScriptToken(kind: .text(String(decoding: text, as: UTF8.self)), line: start.line))
                return
            }
            if byte == UInt8(ascii: "\\") { readEscape(into: &text) } else { text.append(byte) }
            place += 1
        }
        unended[quote] = place
        (place, line) = (start.place + 1, start.line)
    }

    private mutating func readTemplate(_ template: Template) {
        var text: [UInt8] = []
        func texts() -> String { String(decoding: text, as: UTF8.self) }
        while let byte = byte() {
            if byte == UInt8(ascii: "`") {
                place += 1
                append(texts(), to: template.token)
                return
            }
            if isNext("${") {
                place += 2
                append(texts() + String(ScriptToken.hole), to: template.token)
                tokens[template.token].holes += 1
                templates.append(template)
                tokens.append(ScriptToken(kind: .mark("("), line: line))
                return
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte == UInt8(ascii: "\\") { readEscape(into: &text) } else { text.append(byte) }
            place += 1
        }
        append(texts(), to: template.token)
    }

    private mutating func append(_ text: String, to token: Int) {
        tokens[token].kind = .text((tokens[token].text ?? "") + text)
    }

    /// Reads what follows a backslash, and stays at its last byte.
    private mutating func readEscape(into text: inout [UInt8]) {
        place += 1
        guard let byte = byte() else { return }
        switch byte {
        case UInt8(ascii: "\n"): line += 1
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "0"):
            text.append(UInt8(ascii: " "))
        case UInt8(ascii: "x"), UInt8(ascii: "u"):
            let length = byte == UInt8(ascii: "x") ? 2 : 4
            let digits = bytes[place...].dropFirst().prefix(length)
            guard digits.count == length,
                let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
                    .flatMap(Unicode.Scalar.init)
            else { return text.append(byte) }
            text += Array(String(Character(scalar)).utf8)
            place += length
        default: text.append(byte)
        }
    }

    private mutating func readNumber() {
        while let byte = byte(), Self.isOfWord(byte) || byte == UInt8(ascii: ".") { place += 1 }
        tokens.append(ScriptToken(kind: .number, line: line))
    }

    private mutating func readWord() {
        let start = place
        while let byte = byte(), Self.isOfWord(byte) { place += 1 }
        let word = String(decoding: bytes[start..<place], as: UTF8.self)
        tokens.append(ScriptToken(kind: .word(word), line: line))
    }

    private static let longMarks = [
        "...", "===", "!==", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "++", "--", "+=", "-=",
    ]

    private mutating func readMark(_ byte: UInt8) {
        if byte == UInt8(ascii: "{"), !templates.isEmpty { templates[templates.count - 1].depth += 1 }
        if byte == UInt8(ascii: "}"), let template = templates.last {
            if template.depth == 0 {
                templates.removeLast()
                place += 1
                tokens.append(ScriptToken(kind: .mark(")"), line: line))
                return readTemplate(template)
            }
            templates[templates.count - 1].depth -= 1
        }
        var mark = String(UnicodeScalar(byte))
        var length = 1
        if isNext("?."), self.byte(2).map({ !(0x30...0x39).contains($0) }) ?? true {
            (mark, length) = (".", 2)
        } else if "=!<>&|?+-.".utf8.contains(byte), let long = Self.longMarks.first(where: isNext) {
            (mark, length) = (long, long.utf8.count)
        }
        tokens.append(ScriptToken(kind: .mark(mark), line: line))
        place += length
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80..., UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: false
        }
    }
}
