/// The words and strings of a page or script: not what is in comments, and of a page only those of its tags and scripts.
struct Script {
    struct Item {
        let (range, line, isText): (Range<Int>, Int, Bool)
        /// The hash of a word, so that words are compared without making strings.
        let word: UInt64
    }

    let (path, isPage): (String, Bool)
    private(set) var items: [Item] = []
    private let bytes: [UInt8]
    private var (place, line, counted) = (0, 1, 0)

    init(_ bytes: [UInt8], path: String) {
        (self.bytes, self.path, isPage) = (bytes, path, PageFiles.isPage(path))
        while isPage, place < bytes.count {
            place = find("<", place) + 1
            if has("!--", place) { place = find("-->", place) }
            guard isOfWord(place) else { continue }
            let (first, element) = (items.count, ["script", "style"].first { has($0, place) })
            read(to: bytes.count, isTag: true)
            guard let element else { continue }
            let (end, words) = (find("</\(element)", place), items[first...].map { text($0.range) })
            let type = words.firstIndex(of: "type").map { words[min($0 + 1, words.count - 1)] } ?? element
            if ["script", "module", "babel", "jsx"].contains(where: type.contains) { read(to: end) }
            place = end
        }
        read(to: bytes.count)
    }

    static func hash(_ letters: some Sequence<UInt8>) -> UInt64 {
        letters.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private mutating func add(_ range: Range<Int>, isText: Bool) {
        while counted < range.lowerBound {
            line += bytes[counted] == 0x0A ? 1 : 0
            counted += 1
        }
        let word = isText ? 0 : Self.hash(bytes[range])
        items.append(Item(range: range, line: line, isText: isText, word: word))
    }

    private func has(_ letters: String, _ place: Int) -> Bool {
        place < bytes.count
            && bytes[place...].prefix(letters.utf8.count).elementsEqual(letters.utf8) {
                $0 == $1 || $0.lowercased == $1
            }
    }

    private func find(_ letters: String, _ start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] != letters.utf8.first || !has(letters, place) { place += 1 }
        return min(place, bytes.count)
    }

    /// Reads the code up to `limit`; in a tag it stops after the `>`.
    private mutating func read(to limit: Int, isTag: Bool = false) {
        // The last mark before, after which a slash divides or begins a regular expression.
        var last: Unicode.Scalar = "\0"
        while place < limit {
            let (start, letter) = (place, self[place])
            place += 1
            defer { if letter > " " { last = letter } }
            switch letter {
            case _ where isOfWord(start):
                while isOfWord(place) { place += 1 }
                add(start..<place, isText: false)
            case ">" where isTag && last != "=": return
            case "\\": place += 1
            case "/" where self[place] == "/" && !isTag: place = find("\n", place)
            case "/" where self[place] == "*": place = find("*/", place) + 2
            // A regular expression, which follows an operator or an opening bracket.
            case "/" where !isTag && "\0(,=:[!&|?;{".unicodeScalars.contains(last):
                place = end(of: start, limit).map { $0 + 1 } ?? place
            case "'", "\"", "`": readText(limit, isTag: isTag)
            default: break
            }
        }
    }

    /// Where a string or regular expression ends that begins at a place: on its line, unless it is a template literal.
    private func end(of start: Int, _ limit: Int, isTag: Bool = false) -> Int? {
        var end = start + 1
        while end < limit, bytes[end] != bytes[start], isTag || bytes[start] == 0x60 || bytes[end] != 0x0A {
            end += bytes[end] == 0x5C ? 2 : 1
        }
        return end < limit && bytes[end] == bytes[start] ? end : nil
    }

    /// Reads a string literal; ignores a quote inside of a word (`don't`).
    ///
    /// Attributes with code: `onclick="…"`, `@click="…"`, `:href="…"`, `(click)="…"`, `href="javascript:…"`.
    private mutating func readText(_ limit: Int, isTag: Bool) {
        let word = items.last.map { $0.range.upperBound == place - 1 ? text($0.range) : "" } ?? ""
        let isInWord = isOfWord(place - 2) && !["return", "case", "from", "import"].contains(word)
        guard let end = end(of: place - 1, limit, isTag: isTag), !isInWord else { return }
        let name = bytes[..<(place - 1)].suffix(40).split(separator: 0x20).last ?? []
        let isCode =
            name.starts(with: "on".utf8) || name.first.map { !$0.isLetter } == true || name.contains(0x3A)
        if isTag, name.last == 0x3D, isCode || has("javascript:", place) {
            read(to: end)
        } else {
            add(place..<end, isText: true)
        }
        place = end + 1
    }

    subscript(place: Int) -> Unicode.Scalar {
        bytes.indices.contains(place) ? Unicode.Scalar(bytes[place]) : "\0"
    }

    private func isOfWord(_ place: Int) -> Bool {
        bytes.indices.contains(place) && (bytes[place].isWord || bytes[place] == 0x24 || bytes[place] > 0x7F)
    }

    func text(_ range: Range<Int>) -> String {
        String(
            decoding: bytes[range.clamped(to: bytes.indices)].prefix(4000).lazy.filter { $0 != 0x5C },
            as: UTF8.self)
    }

    /// The code before and after an item, with `?.` and `!.` as `.`.
    func around(_ item: Item, before: Int = 100, after: Int = 600) -> (before: String, after: String) {
        let range = item.isText ? item.range.lowerBound - 1..<item.range.upperBound + 1 : item.range
        func plain(_ text: String) -> String {
            guard text.utf8.contains(where: { $0 == 0x21 || $0 == 0x3F }) else { return text }
            return text.replacing("?.", with: ".").replacing("!.", with: ".")
        }
        return (
            plain(text(max(0, range.lowerBound - before)..<range.lowerBound)),
            plain(text(range.upperBound..<range.upperBound + after))
        )
    }
}
