import Drawbridge
import HTTPTypes

/// Replaces the gateway's address by the server's in request fields that have the page's own URL or origin.
///
/// Servers compare `Origin` and `Referer` with their own name before they take a form.
struct OutwardMapping {
    /// The mapping of targets to the server.
    let mapping: UpstreamMapping
    let caller: Caller

    static let destination = HTTPField.Name("Destination")!
    static let pingFrom = HTTPField.Name("Ping-From")!
    static let pingTo = HTTPField.Name("Ping-To")!

    /// The field for the server; nil where it has another address, and stays unchanged.
    func mapped(_ field: HTTPField) -> HTTPField? {
        guard let target = ownTarget(field.value) else { return nil }
        if field.name == .origin { return HTTPField(name: field.name, value: mapping.url.origin) }
        let path = target.isEmpty ? "/" : target
        return HTTPField(name: field.name, value: mapping.url.origin + (mapping.target(for: path) ?? path))
    }

    /// The target in a URL of the gateway; nil for any other URL.
    private func ownTarget(_ url: String) -> String? {
        guard let colon = url.firstRange(of: "://"), url[..<colon.lowerBound].lowercased() == caller.scheme,
            let own = Authority(caller.authority)
        else { return nil }
        let rest = url[colon.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard let authority = Authority(String(rest[..<end])), authority.host == own.host,
            authority.isIPv6 == own.isIPv6, port(authority) == port(own)
        else { return nil }
        return String(rest[end...])
    }

    private func port(_ authority: Authority) -> Int {
        authority.port ?? (caller.scheme == "https" ? 443 : 80)
    }
}
