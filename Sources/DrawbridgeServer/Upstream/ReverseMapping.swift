import DrawbridgeDocuments
import HTTPGrammar

/// Replaces an upstream's addresses by the gateway's in response header fields: redirects, cookies, policies, URLs.
///
/// Addresses of other servers stay as they are, and so do the upstream's paths outside of the mapping.
struct ReverseMapping {
    let mapping: UpstreamMapping
    let caller: Request
    /// Whether the upstream got the client's `Host`, which it may use in its addresses.
    var keepsHost = false
    var links: (origin: [UInt8], found: @Sendable () -> Void)?

    /// Whether a field can have an address: a quick look, because most have none.
    static func mayMap(_ name: KnownName?, _ value: UnsafeRawBufferPointer) -> Bool {
        var last: UInt8 = 0
        for byte in value {
            if byte == UInt8(ascii: "/"), last == byte { return true }
            last = byte
        }
        return name != nil && name != .contentType
    }

    /// The rewritten field; nil if it stays as it is.
    func mapped(_ field: HTTPField, as name: KnownName?) -> HTTPField? {
        let bytes = field.withUnsafeBytesOfValue(Array.init)
        let changed: [UInt8]? =
            switch name {
            case .refresh: replacing(bytes, refresh)
            case .location, .contentLocation, .serviceWorkerAllowed: replacing(bytes, url)
            case .setCookie: cookie(bytes)
            case .contentSecurityPolicy, .contentSecurityPolicyReportOnly: policy(bytes)
            default: urls(in: bytes)
            }
        return changed.map { HTTPField(name: field.name, value: $0) }
    }

    /// `Clear-Site-Data` without cookies, which browsers would delete for all ports of this host, ours with them.
    ///
    /// Those that the client has sent are deleted instead, at the path `/`.
    func clearing(_ field: HTTPField) -> [HTTPField] {
        var kinds = field.value.split(separator: ",").map { String($0.utf8.trimmed) ?? "" }
        guard kinds.contains("\"cookies\"") || kinds.contains("\"*\"") else { return [field] }
        if kinds.contains("\"*\"") { kinds = ["\"cache\"", "\"storage\"", "\"executionContexts\""] }
        kinds.removeAll { $0 == "\"cookies\"" }
        let cookies = caller.headers[values: .cookie].flatMap { $0.split(separator: ";") }
        let deleted = cookies.compactMap { $0.split(separator: "=").first }.map { name in
            let end = caller.scheme == "https" ? "; Max-Age=0; Secure" : "; Max-Age=0"
            return HTTPField(name: .setCookie, value: "\(name.filter { $0 != " " })=; Path=/\(end)")
        }
        return kinds.isEmpty
            ? deleted : deleted + [HTTPField(name: field.name, value: kinds.joined(separator: ", "))]
    }

    private func replacing(_ value: [UInt8], _ map: (String) -> String?) -> [UInt8]? {
        // A value that is not UTF-8 is not a URL.
        String(validating: value, as: UTF8.self).flatMap(map).map { Array($0.utf8) }
    }

    /// The gateway's scheme and authority in the client's request; nil if an HTTP/1.0 request has no authority.
    private var origin: String? { caller.authority.map { "\(caller.scheme)://\($0)" } }

    /// Maps a URL, or a path that begins with a slash; nil if it stays as it is, such as a relative reference.
    func url(_ text: String) -> String? {
        let bytes = text.utf8
        guard let (scheme, rest) = Self.afterScheme(bytes) else {
            guard bytes.first == UInt8(ascii: "/"), !Self.leadsElsewhere(bytes),
                let mapped = mapped(path: bytes[...]), mapped != text
            else { return nil }
            // The upstream's `/v2//host` becomes `//host`, a host for browsers, unless the origin precedes it.
            return Self.leadsElsewhere(mapped.utf8) ? origin.map { $0 + mapped } : mapped
        }
        // Browsers treat a backslash as a slash, so the authority may be ambiguous. Such a URL stays as it is.
        let end = rest.firstIndex { Self.endsAuthority($0) } ?? rest.endIndex
        guard end == rest.endIndex || rest[end] != UInt8(ascii: "\\"),
            let authority = Authority(String(Substring(rest[..<end]))), isUpstream(scheme, authority),
            let mapped = mapped(path: rest[end...])
        else { return nil }
        if let origin { return origin + mapped }
        return Self.leadsElsewhere(mapped.utf8) ? nil : mapped
    }

    /// The part after `//`, and the scheme before it.
    static func afterScheme(
        _ text: String.UTF8View
    ) -> (scheme: String?, rest: Substring.UTF8View)? {
        for (prefix, scheme) in [("//", nil), ("http://", "http"), ("https://", "https")] {
            if text.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: { $0 == $1 || $0 | 0x20 == $1 })
            {
                return (scheme, text.dropFirst(prefix.utf8.count))
            }
        }
        return nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool { "/?#\\".utf8.contains(byte) }

    private func isUpstream(_ scheme: String?, _ authority: Authority) -> Bool {
        mapping.url.isOrigin(scheme: scheme, authority)
            || (keepsHost && authority == Authority(caller.authority))
    }

    /// Maps a path of the upstream, with query and fragment, to the gateway's.
    private func mapped(path: Substring.UTF8View) -> String? {
        let end = path.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? path.endIndex
        let plain = end == path.startIndex ? "/" : String(Substring(path[..<end]))
        return mapping.gatewayTarget(for: plain).map { $0 + Substring(path[end...]) }
    }

    /// Whether browsers read the path as `//host`; they skip a tab after the first slash.
    private static func leadsElsewhere(_ path: String.UTF8View) -> Bool {
        path.dropFirst().first.map("/\\\t".utf8.contains) == true
    }

    /// Maps the URL in `5; url=/x`, which is parsed as in browsers (HTML, shared declarative refresh steps).
    func refresh(_ text: String) -> String? {
        var rest = text.utf8[...].drop { $0 == UInt8(ascii: ".") || $0.isDigit }
            .drop { $0.isBlank || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
        if rest.prefix(3).elementsEqual("url".utf8, by: { $0 | 0x20 == $1 }) {
            let equals = rest.dropFirst(3).drop(while: \.isBlank)
            if equals.first == UInt8(ascii: "=") { rest = equals.dropFirst().drop(while: \.isBlank) }
        }
        var end = rest.endIndex
        if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            rest = rest.dropFirst()
            end = rest.firstIndex(of: quote) ?? end
        }
        guard let mapped = url(String(Substring(rest[..<end]))) else { return nil }
        return text[..<rest.startIndex] + mapped + text[end...]
    }
}

extension ReverseMapping: AddressRewriter {
    func urls(in text: [UInt8]) -> [UInt8]? {
        guard let authority = caller.authority else { return nil }
        let mark = Array("://".utf8)
        var result: [UInt8] = []
        var rest = text[...]
        while let colon = rest.firstRange(of: mark) {
            let start =
                rest[..<colon.lowerBound].lastIndex { !$0.isLetter }.map { $0 + 1 } ?? rest.startIndex
            let scheme = String(decoding: rest[start..<colon.lowerBound], as: UTF8.self).lowercased()
            let end =
                rest[colon.upperBound...].firstIndex { Self.endsAuthority($0) || Self.endsURL($0) }
                ?? rest.endIndex
            let name = Authority(String(decoding: rest[colon.upperBound..<end], as: UTF8.self))
            guard let name, ["http", "https", "ws", "wss"].contains(scheme) else {
                result += rest[..<colon.upperBound]
                rest = rest[colon.upperBound...]
                continue
            }
            let last = rest[end...].firstIndex(where: Self.endsURL) ?? rest.endIndex
            let isSecure = scheme == "https" || scheme == "wss"
            guard isUpstream(isSecure ? "https" : "http", name),
                let path = end == last
                    ? "" : mapped(path: Substring(decoding: rest[end..<last], as: UTF8.self).utf8)
            else {
                // Skips any other URL as a whole: an upstream's URL in its path or query stays as it is.
                result += rest[..<last]
                rest = rest[last...]
                continue
            }
            let own = scheme.hasPrefix("ws") ? (caller.scheme == "https" ? "wss" : "ws") : caller.scheme
            result += rest[..<start] + Array("\(own)://\(authority)\(path)".utf8)
            rest = rest[last...]
        }
        return result.isEmpty || result + rest == text ? nil : result + rest
    }

    private static func endsURL(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "\"'<>,;()|".utf8.contains(byte)
    }

    func policy(_ text: [UInt8]) -> [UInt8]? {
        ContentSecurityPolicy.rewritten(
            text, isPlain: caller.scheme == "http", urls: urls, own: own(forSource:))
    }

    /// The gateway's address with another scheme; nil if it cannot be a CSP source.
    private func own(_ scheme: String) -> String? {
        guard let authority = Authority(caller.authority), !authority.isIPv6, let name = caller.authority
        else { return nil }
        return "\(scheme)://\(name)"
    }

    /// The source to add to a policy, if one of its sources matches the upstream (CSP Level 3, section 6.7.2.8):
    /// `example.com`, `https://example.com/a/`, `*.example.com`, `wss://example.com:*`, `https:`; else nil.
    private func own(forSource source: String) -> String? {
        let isPlain = caller.scheme == "http"
        let socket = own(isPlain ? "ws" : "wss")
        let server = mapping.url
        if source.hasSuffix(":") {
            // `https:` does not match a gateway that is reached by http.
            guard isPlain, server.scheme == "https" else { return nil }
            return source.lowercased() == "https:" ? "'self'" : source.lowercased() == "wss:" ? socket : nil
        }
        var rest = source[...]
        var scheme: String?
        if let mark = source.firstRange(of: "://") {
            scheme = source[..<mark.lowerBound].lowercased()
            rest = source[mark.upperBound...]
        }
        let path = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
        rest = rest.prefix { $0 != "/" }
        let isAnyPort = rest.hasSuffix(":*")
        if isAnyPort { rest = rest.dropLast(2) }
        if rest.hasPrefix("*.") {
            guard let authority = Authority(String(rest.dropFirst(2))),
                server.host.hasSuffix(".\(authority.host)"),
                isAnyPort || (authority.port ?? server.usualPort) == server.port
            else { return nil }
        } else {
            guard let authority = Authority(String(rest)) else { return nil }
            let name = isAnyPort ? Authority(authority.text(withPort: server.port)) ?? authority : authority
            // A source without a scheme uses the page's scheme, and `http:` matches https too.
            guard isUpstream(scheme == "https" || scheme == "wss" ? "https" : nil, name) else { return nil }
        }
        if scheme == "ws" || scheme == "wss" { return socket }
        if path.isEmpty || path == "/" { return "'self'" }
        return mapping.gatewayTarget(for: path).flatMap { target in own(caller.scheme).map { $0 + target } }
            ?? "'self'"
    }
}
