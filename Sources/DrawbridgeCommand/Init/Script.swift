/// The code of a page or script without comments, with each word's places.
///
/// Calls have fewer spellings here: `?.` and `!.` are a dot, and no quote is escaped.
struct Script {
    struct Word {
        let (range, line): (Range<Int>, Int)
    }

    let path: String
    /// The places of each word; `://` has those of the words before it.
    private(set) var words: [String: [Word]] = [:]
    private var code: [UInt8] = []

    init(_ bytes: [UInt8], path: String) {
        self.path = path
        keep(bytes)
        var (place, line) = (0, 1)
        while place < code.count {
            let start = place
            while place < code.count, code[place].isOfName { place += 1 }
            if start < place {
                let word = Word(range: start..<place, line: line)
                words[text(word.range), default: []].append(word)
                if code[place...].starts(with: "://".utf8) { words["://", default: []].append(word) }
            } else {
                line += code[place] == UInt8(ascii: "\n") ? 1 : 0
                place += 1
            }
        }
    }

    /// Leaves comments out, none of which begins in `http://`, `'//host'` or `'image/*'`.
    private mutating func keep(_ bytes: [UInt8]) {
        var place = 0
        while place < bytes.count {
            let (byte, last) = (bytes[place], code.last ?? 0)
            if "/<".utf8.contains(byte), !"'\"`:/*".utf8.contains(last),
                let (start, end) = Self.comments.first(where: { bytes[place...].starts(with: $0.start.utf8) }
                ),
                start != "/*" || !last.isOfName
            {
                place += start.utf8.count
                while place < bytes.count,
                    bytes[place] != end.utf8.first || !bytes[place...].starts(with: end.utf8)
                {
                    if bytes[place] == UInt8(ascii: "\n") { code.append(bytes[place]) }
                    place += 1
                }
                place += end == "\n" ? 0 : end.utf8.count
            } else {
                if byte == UInt8(ascii: "."), "?!".utf8.contains(last) { code.removeLast() }
                if byte != UInt8(ascii: "\\") { code.append(byte) }
                place += 1
            }
        }
    }

    /// What is not read, with its end: comments, and examples in a page's text.
    private static let comments: [(start: String, end: String)] = [
        ("//", "\n"), ("/*", "*/"), ("<!--", "-->"), ("<code", "</code>"),
    ]

    /// Whether the code has a word, with this text behind it.
    func has(_ word: String, _ end: String = "") -> Bool {
        words[word, default: []].contains { code[$0.range.upperBound...].starts(with: end.utf8) }
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: code[range.clamped(to: code.indices)], as: UTF8.self)
    }

    func before(_ word: Word, _ count: Int = 100) -> String {
        text(word.range.lowerBound - count..<word.range.lowerBound)
    }

    func after(_ word: Word, _ count: Int = 400) -> Substring {
        text(word.range.upperBound..<word.range.upperBound + count)[...]
    }

    /// The names and dots before a word, as `window.` is before `Android`.
    func path(before word: Word) -> Substring {
        let before = before(word)
        let start = before.lastIndex { !$0.isLetter && !$0.isNumber && !"_$.".contains($0) }
        return before[(start.map(before.index(after:)) ?? before.startIndex)...]
    }

    /// The string that a word is in, with its quotes; nil if there is none on the line.
    func string(around word: Word) -> Word? {
        let before = code[..<word.range.lowerBound].suffix(300)
        let start = before.lastIndex { "'\"`\n".utf8.contains($0) }
        guard let start, code[start] != UInt8(ascii: "\n") else { return nil }
        let after = code[word.range.upperBound...].prefix(600)
        let end = after.firstIndex { [code[start], UInt8(ascii: "\n")].contains($0) }
        return end.map { Word(range: start..<$0 + 1, line: word.line) }
    }

    /// Whether a word begins a text: `'callNative('`, but not `onclick="callNative(`.
    func isText(_ word: Word) -> Bool {
        let before = before(word).dropLast(path(before: word).count).suffix(2)
        return before.last.map { "\"'`".contains($0) } == true && before.first != "="
    }

    /// Whether the script defines a global: `window.Android = {}`, `function callNative() {}`.
    func declares(_ name: String) -> Bool {
        words[name, default: []].prefix(300).contains { word in
            let declaration = before(word, 20).firstMatch(
                of: /(declare )?\b(?:var|let|const|function|import) $/)
            let isAssigned = after(word, 10).prefixMatch(of: /\s*=[^=>]/) != nil && !isText(word)
            return declaration.map { $0.1 == nil } ?? isAssigned
        }
    }
}

extension UInt8 {
    fileprivate var isOfName: Bool { isWord || self == UInt8(ascii: "$") || self > 0x7F }
}
