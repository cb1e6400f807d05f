import HTTPTypes

/// Takes requests whose query holds one item, name and value exactly (contract, section 1).
public struct FlagRule: InterceptionRule {
    private let item: Query.Item
    private let text: String

    /// Takes `name=value`.
    public init(name: String, value: String) {
        item = Query.Item(name: name, value: value)
        text = "\(name)=\(value)"
    }

    /// The request without the flag; the other items stay as they were sent.
    public func canonicalRequest(for request: Request) -> Request? {
        var target = Target(request.head.path)
        guard let query = target.query else { return nil }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = parts.filter { !isFlag($0) }
        guard kept.count < parts.count else { return nil }
        target.query = kept.isEmpty ? nil : kept.map { String(Substring($0)) }.joined(separator: "&")
        var request = request
        request.head.path = target.text
        return request
    }

    /// Nearly always the flag stands there as it is; encoded, or with an empty value left out, it is the same flag.
    private func isFlag(_ part: Substring.UTF8View) -> Bool {
        if part.elementsEqual(text.utf8) { return true }
        let isEncoded = part.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        return (isEncoded || item.value.isEmpty) && Query.Item(part) == item
    }
}

extension InterceptionRule where Self == FlagRule {
    /// The query item `_mobile_bridge=1`, or another one.
    public static func flag(_ name: String = "_mobile_bridge", _ value: String = "1") -> Self {
        FlagRule(name: name, value: value)
    }
}
