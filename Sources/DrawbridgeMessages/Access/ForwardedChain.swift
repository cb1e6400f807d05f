/// What a request says of the machines that it came through: `Forwarded` (RFC 7239), `X-Forwarded-For`, `X-Real-IP`.
enum ForwardedChain {
    /// Whether a header field shows that the request was forwarded.
    ///
    /// - Parameter via: a `Via` with this name only does not count, since the gateway itself has sent the request on.
    static func isMark(_ field: HTTPField, except via: Via? = nil) -> Bool {
        let name = field.name.canonicalName
        switch name.utf8.count {
        case 3: return field.name == .via && via?.isForeign(field.value) != false
        case 9: return name == "forwarded" || name == "x-real-ip"
        default: return name.utf8.count > 11 && name.hasPrefix("x-forwarded-")
        }
    }

    /// The caller's address: read from the right, the first that is not a trusted proxy.
    ///
    /// - Returns: nil where a trusted proxy does not name its caller.
    static func sender(
        of headers: HTTPFields, peer: IPAddress, trusted: (IPAddress) -> Bool
    ) -> IPAddress? {
        guard trusted(peer) else { return peer }
        var sender = peer
        for text in addresses(headers).reversed() {
            // Behind an address that cannot be read, the caller is unknown.
            guard let text, let address = IPAddress(text) else { return nil }
            sender = address
            if !trusted(address) { break }
        }
        return sender
    }

    /// The addresses of the chain, from the first kind of field that is present; nil for what is not an address.
    private static func addresses(_ headers: HTTPFields) -> [String?] {
        let lists = [
            headers[values: .forwarded].flatMap {
                $0.split(separator: ",").map { value("for", of: $0).flatMap { plain($0[...]) } }
            },
            headers[values: .xForwardedFor].flatMap { $0.split(separator: ",").map(plain) },
            headers[values: .xRealIP].map { plain($0[...]) },
        ]
        let said = lists.filter { !$0.isEmpty }
        // Where two kinds of fields name different last addresses, one of them may be made up. Neither is believed.
        guard let first = said.first else { return [nil] }
        return said.allSatisfy { $0.last == first.last } ? first : [nil]
    }

    /// What the nearest proxy says of its caller's request: `proto` or `host`.
    static func last(_ key: String, in headers: HTTPFields) -> String? {
        let usual: HTTPField.Name = key == "host" ? .xForwardedHost : .xForwardedProto
        return headers[values: usual].last?.split(separator: ",").last?.filter { $0 != " " && $0 != "\t" }
            ?? headers[values: .forwarded].last?.split(separator: ",").last.flatMap { value(key, of: $0) }
    }

    /// The value of `for` in `for="[2001:db8::1]:80";proto=http`.
    private static func value(_ key: String, of element: Substring) -> String? {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " && $0 != "\t" }).lowercased() == key else {
                continue
            }
            return parts[1].filter { $0 != "\"" }
        }
        return nil
    }

    private static func plain(_ text: Substring) -> String? {
        let text = text.filter { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") {
            return text.firstIndex(of: "]").map { String(text[text.index(after: text.startIndex)..<$0]) }
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let address = parts.count == 2 ? String(parts[0]) : text
        return IPAddress(address) == nil ? nil : address
    }
}

extension HTTPField.Name {
    fileprivate static let forwarded = Self("Forwarded")!
    fileprivate static let xRealIP = Self("X-Real-IP")!
}
