import HTTPTypes

/// What a request says of the machines that it came through: `Forwarded` (RFC 7239), `X-Forwarded-For`, `X-Real-IP`.
enum ForwardedChain {
    /// Whether a field says that somebody else stands behind whoever sent the request.
    ///
    /// - Parameter via: a `Via` of this name alone is no mark: the gateway itself sent that request on, and it came
    /// back.
    static func isMark(_ field: HTTPField, except via: Via? = nil) -> Bool {
        let name = field.name.canonicalName
        switch name.utf8.count {
        case 3: return field.name == .via && via?.isForeign(field.value) != false
        case 9: return name == "forwarded" || name == "x-real-ip"
        default: return name.utf8.count > 11 && name.hasPrefix("x-forwarded-")
        }
    }

    /// The address of who sent a request, read from the right: the first that is no trusted proxy.
    ///
    /// - Parameters:
    ///   - peer: the address of the connection.
    ///   - trusted: whose word counts.
    /// - Returns: nil where a trusted proxy does not say for whom it asks.
    static func sender(
        of headers: HTTPFields, peer: IPAddress, trusted: (IPAddress) -> Bool
    ) -> IPAddress? {
        guard trusted(peer) else { return peer }
        var sender = peer
        for text in addresses(headers).reversed() {
            // Whoever stands at an address that cannot be read is unknown, and so is the sender.
            guard let text, let address = IPAddress(text) else { return nil }
            sender = address
            if !trusted(address) { break }
        }
        return sender
    }

    /// The chain as it was written, of the first of these kinds of fields that there is; nil for what is no address.
    private static func addresses(_ headers: HTTPFields) -> [String?] {
        let lists = [
            headers[values: .forwarded].flatMap { $0.split(separator: ",").map(forwardedFor) },
            headers[values: .xForwardedFor].flatMap { $0.split(separator: ",").map(plain) },
            headers[values: .xRealIP].map { plain($0[...]) },
        ]
        let said = lists.filter { !$0.isEmpty }
        // Where two kinds of fields name different last addresses, one of them may be made up. Neither is believed.
        guard let first = said.first else { return [nil] }
        return said.allSatisfy { $0.last == first.last } ? first : [nil]
    }

    /// The address in `for="[2001:db8::1]:80";proto=http`.
    private static func forwardedFor(_ element: Substring) -> String? {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " && $0 != "\t" }).lowercased() == "for" else {
                continue
            }
            return plain(parts[1].filter { $0 != "\"" }[...])
        }
        return nil
    }

    /// An address without what stands around it: spaces, brackets, a port.
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
    fileprivate static let xForwardedFor = Self("X-Forwarded-For")!
    fileprivate static let xRealIP = Self("X-Real-IP")!
}
