import HTTPTypes

/// Decides whether a request is meant for native, and gives its plain form: what `canonicalRequest` is to a
/// `URLProtocol`.
///
/// The plain form has the handler's path and no trace of the way it came. Rules look at the head alone and are
/// deterministic; they are asked in order, each about what the one before it left, and one that takes it is enough.
public protocol InterceptionRule: Sendable {
    /// The plain form of the request, or nil: not ours.
    func canonicalRequest(for request: Request) -> Request?
}

/// Takes requests whose query holds one item, name and value exactly (contract, section 1).
public struct FlagRule: InterceptionRule {
    let item: Query.Item

    /// Takes `name=value`.
    public init(name: String, value: String) { item = Query.Item(name: name, value: value) }

    /// The request without the flag; the other items stay as they were sent.
    public func canonicalRequest(for request: Request) -> Request? {
        var target = Target(request.head.path)
        guard let query = target.query else { return nil }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = parts.filter { Query.Item($0) != item }
        guard kept.count < parts.count else { return nil }
        target.query = kept.isEmpty ? nil : kept.map { String(Substring($0)) }.joined(separator: "&")
        var request = request
        request.head.path = target.text
        return request
    }
}

/// Takes requests to the host `__jsbridge__`, and to the path `/__jsbridge__` and below it (contract, section 2).
///
/// With no path left, the `action` in the body (or the query) names the handler and `data` is its input.
public struct JSBridgeRule: InterceptionRule {
    /// The name, as host and as first part of a path.
    static let name = "__jsbridge__"

    /// Makes the rule.
    public init() {}

    /// The request below the door.
    public func canonicalRequest(for request: Request) -> Request? {
        var target = Target(request.head.path)
        if let below = Self.below(target.path) {
            target.path = below
        } else if Authority(request.head.authority)?.host != Self.name {
            return nil
        }
        var request = request
        request.head.path = target.text
        if target.path == "/" || target.path.isEmpty {
            request.naming = .action
            // In the iframe form a plus stays a plus.
            target.query = target.query?.split(separator: "+", omittingEmptySubsequences: false).joined(
                separator: "%2B")
            request.head.path = target.text
        }
        return request
    }

    private static func below(_ path: String) -> String? {
        let door = "/\(name)"
        guard path.hasPrefix(door) else { return nil }
        let rest = path.dropFirst(door.count)
        return rest.isEmpty ? "/" : rest.first == "/" ? String(rest) : nil
    }
}

extension InterceptionRule where Self == FlagRule {
    /// The query item `_mobile_bridge=1`, or another one.
    public static func flag(_ name: String = "_mobile_bridge", _ value: String = "1") -> Self {
        FlagRule(name: name, value: value)
    }
}

extension InterceptionRule where Self == JSBridgeRule {
    /// The host or path `__jsbridge__`.
    public static var jsBridge: Self { JSBridgeRule() }
}
