/// Cuts scripts, and the scripts of pages, into tokens; it guesses where a parser would know.
struct Lexer {
    private let bytes: [UInt8]
    private let file: Int
    private(set) var tokens: [Scripts.Token] = []
    private var place = 0
    private var (line, counted) = (1, 0)

    init(_ bytes: [UInt8], file: Int, isPage: Bool) {
        (self.bytes, self.file) = (bytes, file)
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
        tokens.append(Scripts.Token(string: string, line: line, file: file))
    }

    /// Whether these letters are at a place, in either case.
    private func has(_ letters: String, _ place: Int) -> Bool {
        bytes[min(place, bytes.count)...].starts(with: letters.utf8) { byte, letter in
            byte == letter || (0x61...0x7A).contains(letter) && byte | 0x20 == letter
        }
    }

    /// The first place of these letters; the end if there is none.
    private func find(_ letters: String, _ start: Int) -> Int {
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

    /// Reads a tag, and what is in a `<script>`.
    private mutating func readTag() {
        add(Scripts.end)
        let (first, isScript, isStyle) = (tokens.count, has("script", place), has("style", place))
        readScript(to: bytes.count, isTag: true)
        let end = isScript ? find("</script", place) : isStyle ? find("</style", place) : place
        let type = tokens[first...].drop { $0.string != "type" }.dropFirst(2).first?.string ?? "script"
        let isCode = ["script", "module", "babel", "jsx"].contains(where: type.contains)
        if isScript, isCode { readScript(to: end) }
        place = end
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
            case "\0"..." ", "#": break
            case "!" where !has("=", place): break
            case "\\": place += 1
            case "/" where has("/", place) && !isTag: place = find("\n", place)
            case "/" where has("*", place): place = find("*/", place) + 2
            case "'", "\"": readText(bytes[start], limit, isTag: isTag)
            case "`",
                "}" where letter == "`" || templates.last == 0:
                // `a${b}c` is read as 'a' + (b) + 'c', without texts that are empty.
                if letter == "}" {
                    templates.removeLast()
                    add(")")
                }
                let start = place
                while place < limit, bytes[place] != 0x60, !has("${", place) {
                    place += has("\\", place) ? 2 : 1
                }
                let (isEmpty, goesOn) = (place == start, has("${", place))
                if letter == "}", !isEmpty || goesOn { add("+") }
                if !isEmpty || letter == "`" && !goesOn {
                    add("'" + text(start..<min(place, limit)), at: start)
                }
                if goesOn {
                    templates.append(0)
                    if !isEmpty { add("+") }
                    add("(")
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
        let names = ["", "", ""] + tokens.suffix(3).map(\.string)
        let (mark, name) = (names[names.count - 3], names[names.count - 2])
        let isCode = ["@", ":", "."].contains(mark) || name == ")" || name.hasPrefix("on")
        if isTag, names.last == "=", isCode || has("javascript:", place) {
            readScript(to: end)
            add(Scripts.end)
        } else {
            add("'" + text(place..<end).filter { $0 != "\\" })
        }
        place = end + 1
    }
}
