import Drawbridge
import HTTPTypes

/// What a page says of its own address in a request, as its server knows it: as if it had come from there.
///
/// Servers compare `Origin` and `Referer` with their own name before they take a form.
package struct OutwardMapping: Sendable {
    private let mapping: UpstreamMapping
    private let caller: Caller

    /// - Parameter mapping: leads to the server.
    package init(_ mapping: UpstreamMapping, for caller: Caller) {
        self.mapping = mapping
        self.caller = caller
    }

    static let destination = HTTPField.Name("Destination")!
    static let pingFrom = HTTPField.Name("Ping-From")!
    static let pingTo = HTTPField.Name("Ping-To")!

    /// The field as the server should have it; nil where it names somebody else, and stays as it is.
    func mapped(_ field: HTTPField) -> HTTPField? {
        guard let target = ownTarget(field.value) else { return nil }
        if field.name == .origin { return HTTPField(name: field.name, value: mapping.url.origin) }
        let path = target.isEmpty ? "/" : target
        return HTTPField(name: field.name, value: mapping.url.origin + (mapping.target(for: path) ?? path))
    }

    /// What follows the gateway's own name in a URL; nil for one that does not begin with it.
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
