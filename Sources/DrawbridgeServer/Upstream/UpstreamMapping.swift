/// Maps request targets to an upstream's.
///
/// It works like nginx's `proxy_pass`. If the URL has no path, the target is forwarded byte for byte. If it has one,
/// even `/`, the path replaces the prefix: with `/api=http://host/v2`, `/api/x?q` becomes `/v2/x?q`.
///
/// Targets are not decoded or normalized: `/api/../x` becomes `/v2/../x`, which the upstream may resolve to a path
/// outside of `/v2`. So the path in the URL is no access control.
final class UpstreamMapping: Sendable {
    /// The prefix without a slash at the end; empty for all targets.
    let prefix: String
    let url: UpstreamURL

    init(_ url: UpstreamURL, below prefix: String = "") {
        self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        self.url = url
    }

    /// Parses `URL` or `/prefix=URL`.
    convenience init(parsing text: String) throws(InvalidUpstream) {
        let isBelow = text.hasPrefix("/")
        // The first equals sign separates the prefix; in a URL, one can only come after the scheme.
        guard let mark = (isBelow ? text[...] : text.prefix { $0 != ":" }).firstIndex(of: "=") else {
            guard !isBelow else {
                throw InvalidUpstream(text, "has no URL; write \(text)=http://host:port")
            }
            self.init(try UpstreamURL(text))
            return
        }
        let (prefix, url) = (text[..<mark], text[mark...].dropFirst())
        guard isBelow else {
            throw InvalidUpstream(text, "has a prefix that is not a path; write /\(prefix)=\(url)")
        }
        guard
            prefix.utf8.allSatisfy({
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            })
        else {
            throw InvalidUpstream(text, "has a prefix that no path begins with; write it percent-encoded")
        }
        self.init(try UpstreamURL(String(url)), below: String(prefix))
    }

    /// The upstream's target; nil if the target is not below the prefix.
    ///
    /// The prefix must match whole segments of the raw path: `/api` matches `/api`, `/api/x` and `/api?q`, but not
    /// `/apix`.
    func target(for target: String) -> String? {
        guard let rest = Self.rest(of: target, below: prefix) else { return nil }
        // `*`, the target of OPTIONS, is not a path, so it has no prefix to replace.
        guard let path = url.path, rest != "*" else { return target }
        let isDoubled = path.hasSuffix("/") && rest.utf8.first == UInt8(ascii: "/")
        return path + (isDoubled ? rest.dropFirst() : rest)
    }

    /// The inverse: the gateway's path or target for one of the upstream; nil if no target is mapped to it.
    func gatewayTarget(for target: String) -> String? {
        guard let path = url.path else {
            return target != "*" && Self.rest(of: target, below: prefix) != nil ? target : nil
        }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let rest = Self.rest(of: target, below: base), rest != "*" else { return nil }
        // Without a prefix, the upstream's base path (`/v2`) is mapped to the gateway's root.
        return prefix.isEmpty && rest.utf8.first != UInt8(ascii: "/") ? "/\(rest)" : prefix + rest
    }

    /// The part after the prefix: empty, or beginning with a slash or question mark; nil if the prefix does not match.
    private static func rest(of target: String, below prefix: String) -> Substring? {
        guard prefix.isEmpty || target.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = prefix.isEmpty ? target[...] : Substring(target.utf8.dropFirst(prefix.utf8.count))
        switch rest.utf8.first {
        case UInt8(ascii: "/"): return rest
        case nil, UInt8(ascii: "?"): return prefix.isEmpty ? nil : rest
        case UInt8(ascii: "*"): return prefix.isEmpty && rest.utf8.count == 1 ? rest : nil
        default: return nil
        }
    }
}

/// Replaces the gateway's address by the upstream's in request fields, such as `Origin` and `Referer`.
///
/// Servers compare these with their own name, as a protection against cross-site requests.
struct OutwardMapping {
    let mapping: UpstreamMapping
    let caller: Request

    /// The rewritten field; nil if it has another server's address and stays as it is.
    func mapped(_ field: HTTPField) -> HTTPField? {
        guard let target = ownTarget(field.value) else { return nil }
        if field.name == .origin { return HTTPField(name: field.name, value: mapping.url.origin) }
        let path = target.isEmpty ? "/" : target
        return HTTPField(name: field.name, value: mapping.url.origin + (mapping.target(for: path) ?? path))
    }

    /// The request target in a URL of the gateway; nil for any other URL.
    private func ownTarget(_ url: String) -> String? {
        guard let colon = url.firstRange(of: "://") else { return nil }
        let end = url[colon.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard let origin = WebOrigin.of(String(url[..<end])), origin == caller.ownOrigin else { return nil }
        return String(url[end...])
    }
}
