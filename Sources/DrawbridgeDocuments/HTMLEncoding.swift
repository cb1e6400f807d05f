import HTTPGrammar

/// Finds the encoding that a page declares for itself, as browsers do before they know it.
///
/// That is a byte order mark, or the first `<meta charset="gbk">` or `<meta http-equiv="Content-Type"
/// content="text/html; charset=gbk">` (HTML, "prescan a byte stream to determine its encoding"). What a script, a style
/// or a title holds is not a tag, and a tag that is cut off does not count.
package enum HTMLEncoding {
    /// How many bytes are searched; browsers look at 1,024, and start over when a declaration comes later.
    package static let searched = 64 << 10

    /// The label for `Content-Type`; nil where the page declares none, or an invalid one.
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
        // What is not ASCII does not matter here.
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
}
