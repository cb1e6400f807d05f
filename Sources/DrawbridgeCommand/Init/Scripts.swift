/// The tokens (words, strings, punctuation) of a folder's pages and scripts, one file behind the other.
///
/// It guesses where a parser would know, and skips what it does not understand; it takes linear time.
struct Scripts {
    enum Kind { case word, text, mark }

    struct Token {
        let kind: Kind
        var string: String
        let line: Int
        /// How many `${…}` a template has; their tokens follow the text, each in parentheses.
        var holes = 0
        /// The matching bracket, and the bracket that opens around this token; -1 for none.
        var partner = -1
        var around = -1
    }

    /// Stands in a text for a value that is computed at run time.
    static let hole: Character = "…"
    /// The mark between two scripts.
    static let end = "\0"

    private(set) var tokens: [Token] = []
    /// The places of each word.
    private(set) var places: [String: [Int]] = [:]
    private(set) var files: [(path: String, tokens: Range<Int>)] = []

    /// Reads a script, or a page with its scripts.
    mutating func add(_ bytes: [UInt8], path: String, isPage: Bool) {
        let start = tokens.count
        var lexer = Lexer(bytes: bytes, isPage: isPage, isInScript: !isPage, tokens: tokens)
        tokens = []
        lexer.read()
        tokens = lexer.tokens
        files.append((path, start..<tokens.count))
        for place in start..<tokens.count where tokens[place].kind == .word {
            places[tokens[place].string, default: []].append(place)
        }
    }

    func isMark(_ mark: String, _ place: Int) -> Bool {
        tokens.indices.contains(place) && tokens[place].kind == .mark && tokens[place].string == mark
    }

    func word(_ place: Int) -> String? {
        tokens.indices.contains(place) && tokens[place].kind == .word ? tokens[place].string : nil
    }

    func partner(_ place: Int) -> Int? {
        tokens.indices.contains(place) && tokens[place].partner >= 0 ? tokens[place].partner : nil
    }

    /// The file in which a place is.
    func file(_ place: Int) -> Int {
        var (low, high) = (0, files.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if files[middle].tokens.lowerBound <= place { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The arguments of a call, or the members of an object, whose bracket opens at a place.
    func parts(_ open: Int, most: Int = 8) -> [Range<Int>] {
        guard let close = partner(open), close > open + 1 else { return [] }
        var (parts, start) = ([Range<Int>](), open + 1)
        while start < close, parts.count < most {
            let end = min(end(start), close)
            parts.append(start..<end)
            start = end + 1
        }
        return parts
    }

    /// Where the expression at a place ends, after 100 tokens at most; a pair of brackets counts as one.
    func end(_ start: Int) -> Int {
        var end = start
        for _ in 0..<100
        where end < tokens.count && !(tokens[end].kind == .mark && ",;)]}\0".contains(tokens[end].string)) {
            end = max(end, tokens[end].partner) + 1
        }
        return min(end, tokens.count)
    }
}

private struct Lexer {
    let bytes: [UInt8]
    let isPage: Bool
    var isInScript: Bool
    var tokens: [Scripts.Token]
    private var place = 0
    /// Whether the `<script>` tag that is being read is of JavaScript; nil in other tags.
    private var script: Bool?
    /// The closing quote of the attribute whose value is being read as a script.
    private var attribute: UInt8?
    /// The open brackets; and the templates whose `${…}` are being read, each with its number of open braces.
    private var open: [Int] = []
    private var templates: [(token: Int, braces: Int)] = []
    /// For each kind of quote, the place before which there is no closing one.
    private var unclosed: [UInt8: Int] = [:]
    private var (line, counted) = (1, 0)

    init(bytes: [UInt8], isPage: Bool, isInScript: Bool, tokens: [Scripts.Token]) {
        (self.bytes, self.isPage, self.isInScript, self.tokens) = (bytes, isPage, isInScript, tokens)
    }

    mutating func read() {
        if isPage { skip { $0 == "<" || $0 == "{" } }
        while place < bytes.count { readNext(bytes[place]) }
        // Patterns look two words ahead.
        for _ in 0..<2 { add(.mark, Scripts.end, bytes.count) }
    }

    private mutating func add(_ kind: Scripts.Kind, _ string: String, _ start: Int) {
        while counted < start {
            if bytes[counted] == "\n" { line += 1 }
            counted += 1
        }
        let place = tokens.count
        tokens.append(Scripts.Token(kind: kind, string: string, line: line, around: open.last ?? -1))
        guard kind == .mark else { return }
        if "([{".contains(string) { open.append(place) }
        if string == Scripts.end { open = [] }
        // Brackets without a counterpart have no partner.
        guard let opening = [")": "(", "]": "[", "}": "{"][string],
            let index = open.suffix(4).lastIndex(where: { tokens[$0].string == opening })
        else { return }
        (tokens[open[index]].partner, tokens[place].partner) = (place, open[index])
        open.removeSubrange(index...)
        tokens[place].around = open.last ?? -1
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.prefix(4000)], as: UTF8.self)
    }

    /// Whether these lowercase letters are at a place, in either case.
    private func has(_ letters: StaticString, _ place: Int) -> Bool {
        place + letters.utf8CodeUnitCount <= bytes.count
            && letters.withUTF8Buffer { letters in
                letters.indices.allSatisfy { index in
                    let (byte, letter) = (bytes[place + index], letters[index])
                    return byte == letter || (0x61...0x7A).contains(letter) && byte | 0x20 == letter
                }
            }
    }

    private mutating func skip(to isEnd: (UInt8) -> Bool) {
        while place < bytes.count, !isEnd(bytes[place]) { place += 1 }
    }

    private mutating func skip(to letters: StaticString) {
        while place < bytes.count, !has(letters, place) { place += 1 }
    }

    private func isOfWord(_ place: Int) -> Bool {
        guard bytes.indices.contains(place) else { return false }
        return switch bytes[place] {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, "_", "$", 0x80...: true
        default: false
        }
    }

    private mutating func readNext(_ byte: UInt8) {
        let start = place
        place += 1
        switch byte {
        case 0...0x20, "!", "#": break
        case "\\" where has("/", place): place += 1
        case "`":
            add(.text, "", start)
            templates.append((tokens.count - 1, 0))
            readTemplate()
        case "}" where templates.last?.braces == 0:
            add(.mark, ")", start)
            readTemplate()
        case "'", "\"": readText(byte)
        case "<" where isPage && (!isInScript || has("/script", place)): readTag()
        case ">" where isPage && !isInScript && attribute == nil:
            isInScript = script == true
            if script == false { skip(to: "</script") }
            script = nil
            // Skips the visible text, up to the next tag or the braces of a framework's expression.
            if !isInScript { skip { $0 == "<" || $0 == "{" } }
        case "/" where has("/", place) && isInScript: skip(to: "\n")
        case "/" where has("*", place):
            skip(to: "*/")
            place += 2
        case _ where isOfWord(start):
            while isOfWord(place) { place += 1 }
            let isNumber = (0x30...0x39).contains(byte)
            add(isNumber ? .mark : .word, isNumber ? "0" : text(start..<place), start)
        // Optional chaining: `a?.b` is read as `a.b`.
        case "?" where has(".", place): if !isOfWord(place + 1) { place += 1 }
        case "=" where has(">", place):
            place += 1
            add(.mark, "=>", start)
        default:
            if byte == "(", tokens.last?.string == ">" { dropTypes() }
            if let last = templates.indices.last {
                templates[last].braces += byte == "{" ? 1 : byte == "}" ? -1 : 0
            }
            add(.mark, String(UnicodeScalar(byte)), start)
            guard byte == "=", !isInScript, attribute == nil, place < bytes.count,
                !" \"'{".utf8.contains(bytes[place])
            else { return }
            skip { $0 <= 0x20 || $0 == ">" }
            add(.text, text(start + 1..<place), start)
        }
    }

    /// Drops the type arguments of TypeScript: `call<T>(`.
    private mutating func dropTypes() {
        var depth = 0
        for place in tokens.indices.suffix(60).reversed() {
            depth += tokens[place].string == ">" ? 1 : tokens[place].string == "<" ? -1 : 0
            if depth == 0 {
                return tokens[max(0, place - 1)].kind == .word ? tokens.removeSubrange(place...) : ()
            }
            guard tokens[place].kind != .mark || "<>[]{}|&,.:;?".contains(tokens[place].string) else {
                return
            }
        }
    }

    /// Reads on to the end of a template, or to its next `${`.
    private mutating func readTemplate() {
        guard let token = templates.last?.token else { return }
        let start = place
        while place < bytes.count, bytes[place] != "`", !has("${", place) {
            place += bytes[place] == "\\" ? 2 : 1
        }
        place = min(place, bytes.count)
        tokens[token].string += text(start..<place)
        guard has("${", place) else {
            templates.removeLast()
            return place += 1
        }
        tokens[token].string.append(Scripts.hole)
        tokens[token].holes += 1
        add(.mark, "(", place)
        place += 2
    }

    /// Reads a string, which in a script ends in its line; a quote that nothing closes is ignored.
    private mutating func readText(_ quote: UInt8) {
        let start = place
        if quote == attribute { return (attribute, _) = (nil, add(.mark, Scripts.end, start)) }
        // An apostrophe in a word is no quote.
        let isWord =
            isOfWord(start - 2) && !["return", "case", "from", "import"].contains(tokens.last?.string)
        guard unclosed[quote, default: 0] <= start, !isWord else { return }
        while place < bytes.count, bytes[place] != quote, bytes[place] != "\n" || !isInScript {
            place += bytes[place] == "\\" ? 2 : 1
        }
        guard place < bytes.count, bytes[place] == quote else {
            (unclosed[quote], place) = (place, start)
            return
        }
        if !isInScript, tokens.last?.string == "=" {
            // `onclick=`, `@click=`, `:href=`, `(click)=`, `v-on:click=`, `href="javascript:…"`.
            let (name, before) = (tokens.dropLast().last?.string ?? "", tokens.dropLast(2).last?.string)
            if name.hasPrefix("on") || name == ")" || ["@", ":", "."].contains(before)
                || has("javascript:", start)
            {
                (place, attribute) = (start, quote)
                return
            }
            if script != nil, name == "type" {
                script = ["script", "module", "babel", "jsx"].contains {
                    has($0, place - $0.utf8CodeUnitCount)
                }
            }
        }
        add(.text, text(start..<place).filter { $0 != "\\" }, start - 1)
        place += 1
    }

    private mutating func readTag() {
        guard isOfWord(place) || has("/", place) || has("!", place) else {
            return skip { $0 == "<" || $0 == "{" }
        }
        add(.mark, Scripts.end, place - 1)
        if has("!--", place) { return skip(to: "-->") }
        (isInScript, attribute, templates) = (false, nil, [])
        script = has("script", place) ? true : nil
        skip { !("a"..."z").contains(Character(UnicodeScalar($0 | 0x20))) && $0 != "/" }
    }
}

private func ~= (letter: Unicode.Scalar, byte: UInt8) -> Bool { letter.value == byte }
private func == (byte: UInt8, letter: Unicode.Scalar) -> Bool { letter.value == byte }
private func != (byte: UInt8, letter: Unicode.Scalar) -> Bool { letter.value != byte }
