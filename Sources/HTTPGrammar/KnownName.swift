/// A field name that the gateway treats in a way of its own: a small number, found by the bytes of the name.
@usableFromInline package enum KnownName: UInt8, CaseIterable, Sendable {
    // Hop-by-hop (RFC 9110, section 7.6.1), or framing; `HTTP2-Settings` belongs to `Upgrade: h2c`.
    case connection, te, trailer, upgrade, keepAlive, contentLength, http2Settings, proxyConnection
    case proxyAuthenticate, proxyAuthorization, transferEncoding
    // Of responses, for everything with the host's name.
    case nel, altSvc, clearSiteData, expectCt, publicKeyPins, publicKeyPinsReportOnly, strictTransportSecurity
    // Of responses.
    case location, refresh, contentLocation, contentSecurityPolicy, contentSecurityPolicyReportOnly
    case contentType, serviceWorkerAllowed, setCookie
    // Of requests.
    case host, expect, origin, referer, destination, authorization, pingFrom, pingTo
    case xForwardedFor, xForwardedHost, xForwardedProto, xDrawbridgeAfter, xDrawbridgeBridge
    case xDrawbridgeDriven, xDrawbridgePage, xDrawbridgePath, xDrawbridgeSession, xDrawbridgeToken
    case xDrawbridgeWaits

    /// The name in lower case: that of the case, with a hyphen before each capital letter.
    package var text: String {
        "\(self)".map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }

    /// Whether the field is hop-by-hop, or frames the message, which is framed anew.
    package var isHopByHop: Bool { rawValue <= Self.transferEncoding.rawValue }

    /// Whether browsers would apply the field to everything with the gateway's host name, even to other servers on
    /// `localhost`.
    package var isForHost: Bool {
        (Self.nel.rawValue...Self.strictTransportSecurity.rawValue).contains(rawValue)
    }

    /// - Parameter name: a token, in any case.
    package init?(_ name: UnsafeRawBufferPointer) {
        guard name.count < Self.table.count, let first = name.first else { return nil }
        // Letters, digits and hyphens: of all characters of a token, only a capital becomes one of them by this bit.
        for (letter, bytes, known) in Self.table[name.count]
        where letter == first | 0x20 && name.elementsEqual(bytes, by: { $0 | 0x20 == $1 }) {
            self = known
            return
        }
        return nil
    }

    /// The names by their lengths, each with its first letter.
    private static let table = {
        let names = allCases.map { (Array($0.text.utf8), $0) }
        return (0..<40).map { count in names.filter { $0.0.count == count }.map { ($0[0], $0, $1) } }
    }()
}
