/// Takes requests to the host `__jsbridge__`, and to the path `/__jsbridge__` and below it (contract, section 2).
///
/// If no path is left, `action` in the body (or the query) names the handler, and `data` is its input.
public struct JSBridgeRule: InterceptionRule {
    /// The name `__jsbridge__`, as a host and as the first part of a path.
    package static let name = Authority.bridge

    package init() {}

    /// The request without the host or path `__jsbridge__`; nil if it has neither.
    public func canonicalRequest(for request: Request) -> Request? {
        // Most requests do not use this bridge, and the second byte of their target shows that at once.
        guard request.target.utf8.dropFirst().first == UInt8(ascii: "_") || Self.isHost(request.authority)
        else { return nil }
        var target = Target(request.target)
        if let below = Self.below(target.path) {
            target.path = below
        } else if !Self.isHost(request.authority) {
            return nil
        }
        var request = request
        request.target = target.text
        if target.path == "/" || target.path.isEmpty {
            request.isNamedByAction = true
            // Elsewhere a plus in a query is a space. In the iframe form it stays a plus, so it is encoded here.
            target.query = target.query?.split(separator: "+", omittingEmptySubsequences: false).joined(
                separator: "%2B")
            request.target = target.text
        }
        return request
    }

    private static func isHost(_ authority: String?) -> Bool {
        guard authority?.utf8.first == UInt8(ascii: "_") else { return false }
        return Authority(authority)?.host == name
    }

    /// Whether a request is sent to the bridge, by its host or its path.
    package static func isNamed(by request: Request) -> Bool {
        request.sentTarget.utf8.starts(with: "/_".utf8) && isBelow(Target(request.sentTarget).path)
            || isHost(request.authority)
    }

    static func isBelow(_ path: String) -> Bool { below(path) != nil }

    private static func below(_ path: String) -> String? {
        let prefix = "/\(name)"
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty ? "/" : rest.first == "/" ? String(rest) : nil
    }
}

extension InterceptionRule where Self == JSBridgeRule {
    /// The rule for the host or path `__jsbridge__`.
    public static var jsBridge: Self { JSBridgeRule() }
}
