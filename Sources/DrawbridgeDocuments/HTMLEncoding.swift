import HTTPGrammar

/// Finds the encoding that a page declares, as browsers do before they decode it.
///
/// That is a byte order mark, or the first `<meta charset="gbk">` or `<meta http-equiv="Content-Type"
/// content="text/html; charset=gbk">` (HTML, "prescan a byte stream to determine its encoding"). Tags in scripts,
/// styles and titles are ignored, and so is a tag that is cut off.
package enum HTMLEncoding {
    /// How many bytes are searched; browsers search 1,024, and start over if a declaration comes later.
    static let searched = 64 << 10

    /// The encoding's label for `Content-Type`; nil if the page declares none, or an invalid one.
    package static func declared(in bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if bytes.starts(with: [0xFE, 0xFF]) { return "utf-16be" }
        if bytes.starts(with: [0xFF, 0xFE]) { return "utf-16le" }
        var scanner = HTMLScanner()
        for byte in bytes.prefix(searched) {
            guard case .startTag? = scanner.take(byte), scanner.isNamed("meta") else { continue }
            if let label = label(in: scanner, of: bytes) { return label }
        }
        return nil
    }

    private static func label(in scanner: HTMLScanner, of bytes: [UInt8]) -> String? {
        // Decoding as UTF-8 is enough: only ASCII is looked for in the values.
        func value(_ name: String) -> String? {
            scanner.attribute(name).map { attribute in
                String(decoding: attribute.value.map { bytes[$0] } ?? [], as: UTF8.self).lowercased()
            }
        }
        if let charset = value("charset") { return checked(charset) }
        guard value("http-equiv") == "content-type", let content = value("content"),
            let found = content.firstRange(of: "charset")
        else { return nil }
        let rest = content[found.upperBound...].drop { $0 == " " }
        guard rest.first == "=" else { return nil }
        let label = rest.dropFirst().drop { $0 == " " }
        if let quote = label.first, quote == "\"" || quote == "'" {
            return checked(label.dropFirst().prefix { $0 != quote })
        }
        return checked(label.prefix { $0 != ";" && $0 != " " })
    }

    /// Checks a label from the page, since it is inserted into a header field.
    private static func checked(_ text: some StringProtocol) -> String? {
        let words = text.utf8.split(whereSeparator: \.isHTMLSpace)
        guard words.count == 1, words[0].count <= 40 else { return nil }
        guard words[0].allSatisfy({ $0.isWord || "-.+".utf8.contains($0) }) else { return nil }
        let label = String(decoding: words[0], as: UTF8.self)
        // The tag was readable as ASCII, so the page is not in UTF-16 even if it says so: browsers then use UTF-8.
        return label.hasPrefix("utf-16") ? "utf-8" : label
    }
}
