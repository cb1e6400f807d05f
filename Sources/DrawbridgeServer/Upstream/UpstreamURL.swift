/// The URL of an upstream: `http://host[:port][/path]`, `https://…`, or `unix:/path/to.sock`.
///
/// A Unix socket may also be written as in nginx: `http://unix:/path/to.sock`; a URL path follows after a second colon:
/// `http://unix:/path/to.sock:/v2`.
struct UpstreamURL: Sendable, Equatable {
    /// `http` or `https`.
    let scheme: String
    /// A host name or an IP address without brackets; `localhost` for a Unix socket.
    let host: String
    let isIPv6: Bool
    /// The port; the scheme's default if none is written.
    let port: Int
    /// The path of the Unix socket; nil for TCP.
    let socketPath: String?
    /// The URL's path, which replaces the prefix; nil if there is none.
    let path: String?

    init(_ text: String) throws(InvalidUpstream) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw InvalidUpstream(text, "has a character that must be percent-encoded")
        }
        let (scheme, rest) = try Self.split(text)
        guard !rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            let plain = text.prefix { $0 != "?" && $0 != "#" }
            throw InvalidUpstream(
                text, "has a query or a fragment, which only requests may have; write \(plain)")
        }
        self.scheme = scheme
        if rest.hasPrefix("unix:") {
            guard scheme == "http" else {
                throw InvalidUpstream(
                    text, "is a socket of this machine, which has no TLS; write http://\(rest)")
            }
            let names = rest.dropFirst("unix:".count)
            guard names.hasPrefix("/"), names != "/", !names.hasPrefix("/:") else {
                throw InvalidUpstream(
                    text, "has no path of a socket; write its whole path, unix:/path/to.sock")
            }
            let colon = names.firstRange(of: ":/")?.lowerBound
            (host, isIPv6, port) = ("localhost", false, Self.usualPort(scheme))
            socketPath = String(names[..<(colon ?? names.endIndex)])
            path = colon.map { String(names[$0...].dropFirst()) }
        } else {
            let slash = rest.firstIndex(of: "/")
            let authority = try Self.authority(rest[..<(slash ?? rest.endIndex)], scheme, of: text)
            (host, isIPv6) = (authority.host, authority.isIPv6)
            port = authority.port ?? Self.usualPort(scheme)
            socketPath = nil
            path = slash.map { String(rest[$0...]) }
        }
        let name = isIPv6 ? "[\(host)]" : host
        authority = port == Self.usualPort(scheme) ? name : "\(name):\(port)"
        origin = "\(scheme)://\(authority)"
    }

    /// The value of `Host`: without the scheme's default port.
    let authority: String
    /// Scheme and authority; with a target after it, it is a URL.
    let origin: String

    var name: String { socketPath.map { "unix:\($0)" } ?? origin }

    /// Whether a URL with this scheme and authority is the upstream's.
    ///
    /// - Parameter scheme: nil for a URL without one, such as `//host/path`.
    func isOrigin(scheme: String?, _ authority: Authority) -> Bool {
        guard scheme == nil || scheme == self.scheme, (authority.port ?? usualPort) == port else {
            return false
        }
        if authority.host == host, authority.isIPv6 == isIPv6 { return true }
        // The names of this machine are equivalent: localhost, 127.0.0.1, [::1].
        return Self.isHere(authority.host) && Self.isHere(host)
    }

    static func isHere(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "0.0.0.0", "::"].contains(host)
    }

    var usualPort: Int { Self.usualPort(scheme) }

    private static func split(_ text: String) throws(InvalidUpstream) -> (scheme: String, rest: Substring) {
        if text.hasPrefix("unix:") { return ("http", text[...]) }
        guard let mark = text.firstRange(of: "://") else {
            throw InvalidUpstream(text, "has no scheme; write http://\(text)")
        }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw InvalidUpstream(
                text, "has to begin with http:// or https://; WebSockets are forwarded too")
        }
        return (scheme, text[mark.upperBound...])
    }

    private static func authority(
        _ written: Substring, _ scheme: String, of text: String
    ) throws(InvalidUpstream) -> Authority {
        if let mark = written.lastIndex(of: "@") {
            let plain = text[text.index(after: mark)...]
            throw InvalidUpstream(text, "has a user name, which is not sent; write \(scheme)://\(plain)")
        }
        if let authority = Authority(String(written)), authority.port != 0 { return authority }
        throw InvalidUpstream(text, "names no host; write \(scheme)://host or \(scheme)://host:port")
    }

    private static func usualPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

struct InvalidUpstream: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ text: String, _ problem: String) {
        description = Redaction.usual.removed(fromText: "the upstream \(text) \(problem)")
    }
}
