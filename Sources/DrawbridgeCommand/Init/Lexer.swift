import HTTPGrammar

/// Splits scripts, and the tags and scripts of pages, into tokens; unlike a parser, it only approximates the grammar.
struct Lexer {
    private let bytes: [UInt8]
    private let file: Int32
    private var words = Vocabulary()
    private(set) var tokens: [Scripts.Token] = []
    private var (place, line, counted) = (0, Int32(1), 0)

    init(_ bytes: [UInt8], file: Int, isPage: Bool, words: inout Vocabulary) {
        (self.bytes, self.file) = (bytes, Int32(file))
        // The vocabulary is swapped in and out: with a second reference to it, the first insertion would copy it.
        swap(&self.words, &words)
        defer { swap(&self.words, &words) }
        while isPage, place < bytes.count {
            place = find("<", place) + 1
            if has("!--", place) { place = find("-->", place) } else if isOfWord(place) { readTag() }
        }
        readScript(to: bytes.count)
        add(Vocabulary.end)
    }

    private mutating func add(_ word: Int32, at start: Int? = nil) {
        let start = min(start ?? place, bytes.count)
        while counted < start {
            line += bytes[counted] == 0x0A ? 1 : 0
            counted += 1
        }
        tokens.append(Scripts.Token(word: word, line: line, file: file))
    }

    private mutating func add(_ mark: Unicode.Scalar, at start: Int? = nil) {
        add(Int32(mark.value), at: start)
    }

    private mutating func addText(_ range: Range<Int>) {
        let text = bytes[range.prefix(4000)]
        add(
            ~words.number(of: text.contains(0x5C) ? text.filter { $0 != 0x5C }[...] : text),
            at: range.lowerBound)
    }

    /// Whether these letters are at a place; a lowercase letter also matches its uppercase form.
    private func has(_ letters: StaticString, _ place: Int) -> Bool {
        place + letters.utf8CodeUnitCount <= bytes.count
            && (0..<letters.utf8CodeUnitCount).allSatisfy {
                let (byte, letter) = (bytes[place + $0], letters.utf8Start[$0])
                return byte == letter || letter.isLetter && byte | 0x20 == letter
            }
    }

    /// The place of the first match from `start` on; the end of the file if there is none.
    private func find(_ letters: StaticString, _ start: Int) -> Int {
        var place = start
        while place < bytes.count, !has(letters, place) { place += 1 }
        return min(place, bytes.count)
    }

    private func isOfWord(_ place: Int) -> Bool {
        bytes.indices.contains(place) && (bytes[place].isWord || bytes[place] == 0x24 || bytes[place] > 0x7F)
    }

    /// Reads a tag, and the code of a `<script>`; skips a `<style>`, and a `<script>` of another type, such as JSON.
    private mutating func readTag() {
        add(Vocabulary.end)
        let (first, isScript, isStyle) = (tokens.count, has("script", place), has("style", place))
        readScript(to: bytes.count, isTag: true)
        let end = isScript ? find("</script", place) : isStyle ? find("</style", place) : place
        let type = tokens[first...].drop { $0.word < 0 || words[$0.word] != "type" }.dropFirst(2).first.map {
            words[$0.word < 0 ? ~$0.word : $0.word]
        }
        let isCode = ["script", "module", "babel", "jsx"].contains { (type ?? "script").contains($0) }
        if isScript, isCode { readScript(to: end) }
        place = end
    }

    /// Splits the code up to `limit` into tokens, without comments; in a tag it stops after the `>`.
    private mutating func readScript(to limit: Int, isTag: Bool = false) {
        // The template literals that are open, each with the number of open braces inside of its current `${…}`.
        var templates: [Int] = []
        while place < limit {
            let (start, letter) = (place, Unicode.Scalar(bytes[place]))
            place += 1
            switch letter {
            case _ where isOfWord(start):
                while isOfWord(place) { place += 1 }
                add(words.number(of: bytes[start..<place]), at: start)
            case ">" where isTag: return
            case "\0"..." ", "#": break
            case "!" where !has("=", place): break
            case "\\": place += 1
            case "/" where has("/", place) && !isTag: place = find("\n", place)
            case "/" where has("*", place): place = find("*/", place) + 2
            case "'", "\"": readText(bytes[start], limit, isTag: isTag)
            case "`",
                "}" where letter == "`" || templates.last == 0:
                // The template literal a${b}c becomes the tokens 'a' + (b) + 'c', without empty strings.
                if letter == "}", templates.popLast() != nil { add(")") }
                let start = place
                while place < limit, bytes[place] != 0x60, !has("${", place) {
                    place += has("\\", place) ? 2 : 1
                }
                let (isEmpty, goesOn) = (place == start, has("${", place))
                if letter == "}", !isEmpty || goesOn { add("+") }
                if !isEmpty || letter == "`" && !goesOn { addText(start..<min(place, limit)) }
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
                add(Vocabulary.arrow)
            default:
                if let last = templates.indices.last {
                    templates[last] += letter == "{" ? 1 : letter == "}" ? -1 : 0
                }
                add(letter, at: start)
            }
        }
    }

    /// Reads a string literal; ignores a quote inside of a word (`don't`), or without a closing quote on its line.
    ///
    /// Attributes with code: `onclick="…"`, `@click="…"`, `:href="…"`, `(click)="…"`, `href="javascript:…"`.
    private mutating func readText(_ quote: UInt8, _ limit: Int, isTag: Bool) {
        var end = place
        while end < limit, bytes[end] != quote, isTag || bytes[end] != 0x0A {
            end += bytes[end] == 0x5C ? 2 : 1
        }
        let names = tokens.suffix(3).map { $0.word < 0 ? "" : words[$0.word] }
        let isInWord = isOfWord(place - 2) && !["return", "case", "from", "import"].contains(names.last)
        guard end < limit, bytes[end] == quote, !isInWord else { return }
        let name = names.dropLast().last ?? ""
        let isCode = ["@", ":", "."].contains(names.first) || name == ")" || name.hasPrefix("on")
        if isTag, names.last == "=", isCode || has("javascript:", place) {
            readScript(to: end)
            add(Vocabulary.end)
        } else {
            addText(place..<end)
        }
        place = end + 1
    }
}

/// Numbers for the words and string literals of scripts; the number of a punctuation mark is its ASCII code.
struct Vocabulary {
    static let end: Int32 = 0
    static let arrow: Int32 = 1
    /// The first word's number; `var`, `let` and `const`, which always begin a statement, are the first three words.
    static let first: Int32 = 128
    static let variables = first..<first + 3

    private var strings =
        (0..<128).map { $0 == arrow ? "=>" : String(Unicode.Scalar(UInt8($0))) } + ["var", "let", "const"]
    private var numbers: [String: Int32] = ["var": first, "let": first + 1, "const": first + 2]

    var count: Int { strings.count }

    mutating func number(of letters: ArraySlice<UInt8>) -> Int32 {
        let word = String(decoding: letters, as: UTF8.self)
        if let number = numbers[word] { return number }
        numbers[word] = Int32(strings.count)
        strings.append(word)
        return Int32(strings.count - 1)
    }

    func number(of word: String) -> Int32? { numbers[word] }

    subscript(number: Int32) -> String { strings[Int(number)] }
}
