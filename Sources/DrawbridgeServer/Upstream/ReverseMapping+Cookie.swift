import HTTPGrammar

extension ReverseMapping {
    /// Rewrites a `Set-Cookie` for the client's browser; nil if it stays as it is.
    ///
    /// - `Domain` is removed if it is the upstream's host. `Path` is mapped to the gateway's path.
    /// - For a client that uses http, `Secure` is removed, with the attributes that browsers refuse without it. A
    ///   `__Secure-` cookie keeps them, because its name requires them.
    /// - A `__Host-` cookie has no domain and the path `/`, so it stays as it is.
    func cookie(_ bytes: [UInt8]) -> [UInt8]? {
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first, !Self.begins(pair, with: "__host-") else { return nil }
        let attributes = parts.dropFirst().map(Attribute.init)
        let losesSecure =
            caller.scheme == "http" && !Self.begins(pair, with: "__secure-")
            && attributes.contains { $0.name == "secure" }
        var cookie = Array(pair)
        for attribute in attributes {
            switch attribute.name {
            case "domain" where isUpstream(domain: attribute.value): continue
            case "secure" where losesSecure, "partitioned" where losesSecure: continue
            case "samesite" where losesSecure && attribute.value.lowercased() == "none": continue
            default: break
            }
            cookie.append(UInt8(ascii: ";"))
            if attribute.name == "path", let path = gatewayPath(attribute.value) {
                cookie += attribute.replacing(with: path)
            } else {
                cookie += attribute.bytes
            }
        }
        return cookie == bytes ? nil : cookie
    }

    /// Whether a cookie's name has this prefix; like in browsers, case is ignored.
    private static func begins(_ pair: ArraySlice<UInt8>, with prefix: String) -> Bool {
        pair.prefix(prefix.utf8.count).elementsEqual(prefix.utf8) { $0.lowercased == $1 }
    }

    /// Whether the domain matches the upstream's host (RFC 6265, section 5.1.3).
    private func isUpstream(domain text: String) -> Bool {
        let domain = (text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...]).lowercased()
        let host = mapping.url.host
        if domain.isEmpty { return false }
        if domain == host || UpstreamURL.isHere(domain) && UpstreamURL.isHere(host) { return true }
        let isAddress = mapping.url.isIPv6 || host.utf8.allSatisfy { $0 < UInt8(ascii: ":") }
        return !isAddress && host.hasSuffix(".\(domain)")
    }

    private func gatewayPath(_ path: String) -> String? {
        guard let mapped = mapping.gatewayTarget(for: path) else { return nil }
        // The path `/` is mapped to `/api`, not `/api/`: that would not match `/api` (RFC 6265, section 5.1.4).
        return path == "/" && !mapping.prefix.isEmpty ? mapping.prefix : mapped
    }
}

/// An attribute of a cookie: the bytes between two semicolons.
private struct Attribute {
    let bytes: ArraySlice<UInt8>
    /// The name in lower case.
    let name: String
    private let place: Range<Int>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        name = String(decoding: bytes[..<equals].trimmed, as: UTF8.self).lowercased()
        place = bytes[equals...].dropFirst().trimmed.indices
    }

    /// The value; empty if it is not UTF-8 and therefore neither a domain nor a path.
    var value: String { String(validating: bytes[place], as: UTF8.self) ?? "" }

    func replacing(with value: String) -> [UInt8] {
        bytes[..<place.lowerBound] + Array(value.utf8) + bytes[place.upperBound...]
    }
}
