/// Takes a page's scripts out of its HTML, and the attributes that are scripts or URLs.
struct PageLexer {
    private let bytes: ArraySlice<UInt8>
    private var place: Int
    private var line = 1
    private var tokens: [ScriptToken] = []

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The parts of all its scripts, one after the other.
    static func tokens(of bytes: ArraySlice<UInt8>) -> [ScriptToken] {
        var lexer = PageLexer(bytes)
        while lexer.place < bytes.endIndex { lexer.readNext() }
        return lexer.tokens
    }

    /// Whether letters stand here, however they are written.
    private func isNext(_ text: String) -> Bool {
        let here = bytes[place...].prefix(text.utf8.count)
        return here.count == text.utf8.count && zip(here, text.utf8).allSatisfy { Self.lowered($0) == $1 }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private mutating func step(_ count: Int = 1) {
        for _ in 0..<count where place < bytes.endIndex {
            if bytes[place] == UInt8(ascii: "\n") { line += 1 }
            place += 1
        }
    }

    private mutating func skip(to end: String) {
        while place < bytes.endIndex, !isNext(end) { step() }
    }

    private mutating func readNext() {
        guard bytes[place] == UInt8(ascii: "<") else { return step() }
        if isNext("<!--") {
            skip(to: "-->")
            return step(3)
        }
        step()
        let name = readName()
        guard !name.isEmpty else { return }
        let attributes = readAttributes()
        guard name == "script" || name == "style" else { return }
        let start = (place: place, line: line)
        skip(to: "</\(name)")
        let type = attributes["type"]?.lowercased() ?? ""
        guard name == "script", type.isEmpty || Self.scripts.contains(where: type.contains) else { return }
        add(ScriptLexer.tokens(of: bytes[start.place..<place], line: start.line))
    }

    private static let scripts = ["javascript", "ecmascript", "module", "babel", "typescript", "jsx"]

    private mutating func readName() -> String {
        let start = place
        while place < bytes.endIndex, !" \t\r\n\u{C}/>=\"'<".utf8.contains(bytes[place]) { step() }
        return String(decoding: bytes[start..<place].map(Self.lowered), as: UTF8.self)
    }

    private mutating func readAttributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while place < bytes.endIndex, bytes[place] != UInt8(ascii: ">") {
            let name = readName()
            guard !name.isEmpty else {
                step()
                continue
            }
            skipSpace()
            guard place < bytes.endIndex, bytes[place] == UInt8(ascii: "=") else { continue }
            step()
            skipSpace()
            let start = line
            let value = readValue()
            attributes[name] = String(decoding: value, as: UTF8.self)
            if Self.isScript(name) {
                add(ScriptLexer.tokens(of: value, line: start))
            } else if ["href", "src", "action", "formaction"].contains(name) {
                let text = Self.withoutReferences(String(decoding: value, as: UTF8.self))
                add([
                    ScriptToken(kind: .word(name), line: start), ScriptToken(kind: .mark("="), line: start),
                    ScriptToken(kind: .text(text), line: start),
                ])
            }
        }
        step()
        return attributes
    }

    private mutating func skipSpace() {
        while place < bytes.endIndex, bytes[place] <= 0x20 { step() }
    }

    private mutating func readValue() -> ArraySlice<UInt8> {
        guard place < bytes.endIndex else { return [] }
        let quote = bytes[place]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { step() }
        let start = place
        while place < bytes.endIndex {
            let byte = bytes[place]
            if isQuoted ? byte == quote : byte <= 0x20 || byte == UInt8(ascii: ">") { break }
            step()
        }
        defer { if isQuoted { step() } }
        return bytes[start..<place]
    }

    private mutating func add(_ more: [ScriptToken]) {
        tokens += more + [ScriptToken(kind: .end, line: line)]
    }

    /// Attributes of HTML that are scripts, and those of templates: `onclick`, `@click`, `v-on:click`, `:href`, `(click)`.
    private static func isScript(_ name: String) -> Bool {
        ["on", "@", "v-", ":", "("].contains(where: name.hasPrefix)
    }

    private static func withoutReferences(_ text: String) -> String {
        text.split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&")
    }
}
