import HTTPGrammar

/// Finds the encoding that a page declares for itself, as browsers do before they know it.
///
/// That is a byte order mark, or the first `<meta charset="gbk">` or `<meta http-equiv="Content-Type"
/// content="text/html; charset=gbk">` (HTML, "prescan a byte stream to determine its encoding"). What a script, a style
/// or a title holds is no tag.
package struct HTMLEncoding {
    /// How many bytes are searched; browsers look at 1,024, and start over when a declaration comes later.
    package static let searched = 64 << 10

    private var rest: ArraySlice<UInt8>
    /// Whether the last tag was complete: a value that is cut off does not count.
    private var isWhole = false

    private init(_ bytes: [UInt8]) { rest = bytes.prefix(Self.searched) }

    /// The label for `Content-Type`; nil where the page declares none, or an invalid one.
    package static func declared(in bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if bytes.starts(with: [0xFE, 0xFF]) { return "utf-16be" }
        if bytes.starts(with: [0xFF, 0xFE]) { return "utf-16le" }
        var scan = HTMLEncoding(bytes)
        return scan.find()
    }

    private mutating func find() -> String? {
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(mark + 1)...]
            if rest.starts(with: "!--".utf8) {
                skipComment()
                continue
            }
            let isEnd = rest.first == UInt8(ascii: "/")
            if let tag = tagName() {
                let attributes = attributes()
                guard isWhole else { return nil }
                if isEnd { continue }
                if tag == "meta", let label = label(in: attributes) { return label }
                if Self.opaque.contains(tag) { skipContent(of: tag) }
            }
        }
        return nil
    }

    /// Elements whose content is text up to their end tag.
    private static let opaque: Set = ["script", "style", "title", "textarea"]

    /// Skips to the end tag, or all that follows where there is none.
    private mutating func skipContent(of tag: String) {
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(mark + 1)...]
            guard rest.first == UInt8(ascii: "/") else { continue }
            rest = rest.dropFirst()
            let name = rest.prefix(tag.utf8.count)
            guard name.elementsEqual(tag.utf8, by: { $0 | 0x20 == $1 }) else { continue }
            let after = rest.dropFirst(name.count).first
            guard let after, after.isHTMLSpace || "/>".utf8.contains(after) else { continue }
            rest = rest.dropFirst(name.count)
            return
        }
        rest = []
    }

    /// Skips to the `-->`, whose dashes may be those that began the comment: `<!-->` is a whole one.
    private mutating func skipComment() {
        rest = rest.dropFirst()
        while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
    }

    /// The name in lower case; nil where no letter follows, as in `a < b`.
    private mutating func tagName() -> String? {
        if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
        guard rest.first?.isLetter == true else { return nil }
        return take { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
    }

    /// Reads up to the end of the tag, so that a `<` within quotes begins no tag; of two with one name the first
    /// counts.
    private mutating func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
            isWhole = rest.first == UInt8(ascii: ">")
            guard !rest.isEmpty, !isWhole else { return attributes }
            let name = take { !$0.isHTMLSpace && !"=/>".utf8.contains($0) }
            rest = rest.drop(while: \.isHTMLSpace)
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isHTMLSpace)
                if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    rest = rest.dropFirst()
                    value = take { $0 != quote }
                    rest = rest.dropFirst()
                } else {
                    value = take { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
                }
            }
            if attributes[name] == nil { attributes[name] = value }
        }
    }

    private func label(in attributes: [String: String]) -> String? {
        if let charset = attributes["charset"] { return Self.checked(charset) }
        guard attributes["http-equiv"] == "content-type", let content = attributes["content"] else {
            return nil
        }
        guard let found = content.firstRange(of: "charset") else { return nil }
        let rest = content[found.upperBound...].drop { $0 == " " }
        guard rest.first == "=" else { return nil }
        let value = rest.dropFirst().drop { $0 == " " }
        if let quote = value.first, quote == "\"" || quote == "'" {
            return Self.checked(value.dropFirst().prefix { $0 != quote })
        }
        return Self.checked(value.prefix { $0 != ";" && $0 != " " })
    }

    /// A label goes into a header, so it must look like one.
    private static func checked(_ text: some StringProtocol) -> String? {
        let words = text.utf8.split(whereSeparator: \.isHTMLSpace)
        guard words.count == 1, words[0].count <= 40 else { return nil }
        guard words[0].allSatisfy({ $0.isWord || "-.+".utf8.contains($0) }) else { return nil }
        let label = String(decoding: words[0], as: UTF8.self)
        // A tag that was found byte by byte is not in UTF-16, so a page that says UTF-16 in it is wrong: browsers take
        // it for UTF-8.
        return label.hasPrefix("utf-16") ? "utf-8" : label
    }

    /// Takes bytes as lower-case text; what is not ASCII does not matter here.
    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isPart)
        rest = rest.dropFirst(taken.count)
        return String(decoding: taken, as: UTF8.self).lowercased()
    }
}
