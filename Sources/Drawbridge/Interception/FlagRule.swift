import HTTPTypes

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

extension InterceptionRule where Self == FlagRule {
    /// The query item `_mobile_bridge=1`, or another one.
    public static func flag(_ name: String = "_mobile_bridge", _ value: String = "1") -> Self {
        FlagRule(name: name, value: value)
    }
}
