/// Cuts scripts, and the scripts of pages, into tokens; it guesses where a parser would know.
struct Lexer {
    private let bytes: [UInt8]
    private(set) var tokens: [Scripts.Token]
    private var place = 0
    private var (line, counted) = (1, 0)
    private var open: [Int] = []

    init(_ bytes: [UInt8], after tokens: [Scripts.Token], isPage: Bool) {
        (self.bytes, self.tokens) = (bytes, tokens)
        while isPage, place < bytes.count {
            place = find("<", place) + 1
            if has("!--", place) { place = find("-->", place) } else if isOfWord(place) { readTag() }
        }
        readScript(to: bytes.count)
        add(Scripts.end)
    }

    private mutating func add(_ string: String, at start: Int? = nil) {
        let start = min(start ?? place, bytes.count)
        while counted < start { (line, counted) = (line + (bytes[counted] == 0x0A ? 1 : 0), counted + 1) }
        tokens.append(Scripts.Token(string: string, line: line, around: open.last ?? -1))
        let place = tokens.count - 1
        if string == Scripts.end { open = [] }
        if ["(", "[", "{"].contains(string) { open.append(place) }
        // A bracket without a counterpart has no partner.
        guard let opening = [")": "(", "]": "[", "}": "{"][string],
            let index = open.suffix(4).lastIndex(where: { tokens[$0].string == opening })
        else { return }
        (tokens[open[index]].partner, tokens[place].partner) = (place, open[index])
        tokens[place].around = tokens[open[index]].around
        open.removeSubrange(index...)
    }

    private func has(_ letters: StaticString, _ place: Int) -> Bool {
        guard place + letters.utf8CodeUnitCount <= bytes.count else { return false }
        return letters.withUTF8Buffer { letters in
            letters.indices.allSatisfy { index in
                let isLetter = (0x61...0x7A).contains(letters[index])
                return bytes[place + index] | (isLetter ? 0x20 : 0) == letters[index]
            }
        }
    }

    /// The first place of these letters, in either case; the end if there is none.
    private func find(_ letters: StaticString, _ start: Int) -> Int {
        (start..<max(start, bytes.count)).first { has(letters, $0) } ?? bytes.count
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.prefix(4000)], as: UTF8.self)
    }

    private func isOfWord(_ place: Int) -> Bool {
        guard bytes.indices.contains(place) else { return false }
        return switch bytes[place] {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x24, 0x5F, 0x80...: true
        default: false
        }
    }

    /// Reads on, and skips comments; a tag ends with its `>`.
    private mutating func readScript(to limit: Int, isTag: Bool = false) {
        // The templates whose `${…}` are being read, each with the number of braces that are open in it.
        var templates: [Int] = []
        while place < limit {
            let (start, letter) = (place, Character(UnicodeScalar(bytes[place])))
            place += 1
            switch letter {
            case ">" where isTag: return
            case "=" where isTag && place < limit && !" \"'{>".utf8.contains(bytes[place]):
                let end = (place..<limit).first { " \n>".utf8.contains(bytes[$0]) } ?? limit
                add("=")
                add("'" + text(place..<end))
                place = end
            case "\0"..." ", "#": break
            case "!" where !has("=", place): break
            case "\\": place += 1
            case "/" where has("/", place) && !isTag: place = find("\n", place)
            case "/" where has("*", place): place = find("*/", place) + 2
            case "'", "\"": readText(bytes[start], limit, isTag: isTag)
            case "`",
                "}" where letter == "`" || templates.last == 0:
                // `a${b}c` is read as 'a' + (b) + 'c'.
                if letter == "}" {
                    templates.removeLast()
                    for mark in [")", "+"] { add(mark) }
                }
                let start = place
                while place < limit, bytes[place] != 0x60, !has("${", place) {
                    place += has("\\", place) ? 2 : 1
                }
                add("'" + text(start..<min(place, limit)), at: start)
                if has("${", place) {
                    templates.append(0)
                    for mark in ["+", "("] { add(mark) }
                    place += 1
                }
                place += 1
            // `a?.b` is read as `a.b`.
            case "?" where has(".", place): place += isOfWord(place + 1) ? 0 : 1
            case "=" where has(">", place):
                place += 1
                add("=>")
            case _ where isOfWord(start):
                while isOfWord(place) { place += 1 }
                add(text(start..<place), at: start)
            default:
                if let last = templates.indices.last {
                    templates[last] += letter == "{" ? 1 : letter == "}" ? -1 : 0
                }
                add(String(letter), at: start)
            }
        }
    }

    /// Reads a string; a quote that nothing closes in its line, and one in a word, as in `don't`, are ignored.
    ///
    /// In a tag, `onclick="…"`, `@click="…"`, `:href="…"`, `(click)="…"` and `href="javascript:…"` are scripts.
    private mutating func readText(_ quote: UInt8, _ limit: Int, isTag: Bool) {
        var end = place
        while end < limit, bytes[end] != quote, isTag || bytes[end] != 0x0A { end += has("\\", end) ? 2 : 1 }
        let isInWord =
            isOfWord(place - 2) && !["return", "case", "from", "import"].contains(tokens.last?.string)
        guard end < limit, bytes[end] == quote, !isInWord else { return }
        let names = tokens.suffix(3).map(\.string)
        if isTag, names.count == 3, names[2] == "=",
            ["@", ":", "."].contains(names[0]) || names[1] == ")" || names[1].hasPrefix("on")
                || has("javascript:", place)
        {
            readScript(to: end)
            add(Scripts.end)
        } else {
            add("'" + text(place..<end).filter { $0 != "\\" })
        }
        place = end + 1
    }

    /// Reads a tag, and what is in a `<script>`.
    private mutating func readTag() {
        add(Scripts.end)
        let (first, isScript, isStyle) = (tokens.count, has("script", place), has("style", place))
        readScript(to: bytes.count, isTag: true)
        let end = isScript ? find("</script", place) : isStyle ? find("</style", place) : place
        let type = tokens[first...].firstIndex { $0.string == "type" }.flatMap {
            $0 + 2 < tokens.count ? tokens[$0 + 2] : nil
        }
        let isCode =
            type.map { type in ["script", "module", "babel", "jsx"].contains(where: type.string.contains) }
            ?? true
        if isScript, isCode { readScript(to: end) }
        place = end
    }
}
