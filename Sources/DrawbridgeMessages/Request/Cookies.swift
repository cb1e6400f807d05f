/// Reads the `Cookie` header field (RFC 6265, section 4.2).
enum Cookies {
    /// Reads the pairs; what is not a pair is left out, quotes around a value are part of it (section 5.4).
    static func parse(_ fields: [String]) -> [String: String] {
        var cookies: [String: String] = [:]
        for field in fields {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let name = String(Substring(pair[..<equals].trimmed))
                guard !name.isEmpty, cookies[name] == nil else { continue }
                cookies[name] = String(Substring(pair[pair.index(after: equals)...].trimmed))
            }
        }
        return cookies
    }
}
