/// What a program must add to a request so that a gateway's rules take it as one for native.
package struct NativeMark {
    /// The query item that marks it; nil where no rule looks for one.
    private let flag: Query.Item?
    private let hasPath: Bool
    /// Whether a rule takes every request.
    private let isMarkNeeded: Bool

    package init(_ rules: [any InterceptionRule]) {
        flag = rules.lazy.compactMap { ($0 as? FlagRule)?.item }.first
        // The mark of a custom rule is not known here, so without a flag the path form is used.
        isMarkNeeded = !rules.contains { $0 is EverythingRule }
        hasPath = flag == nil || rules.contains { $0 is JSBridgeRule }
    }

    package func target(_ plain: String) -> String {
        guard isMarkNeeded else { return plain }
        // A name that itself begins with `__jsbridge__` stays whole only in the path form.
        let isBelow = hasPath && JSBridgeRule.isBelow(String(plain.prefix { $0 != "?" }))
        guard let flag, !isBelow else { return "/\(JSBridgeRule.name)\(plain)" }
        let item = "\(Percent.encode(flag.name, keeping: ""))=\(Percent.encode(flag.value, keeping: ""))"
        return "\(plain)\(plain.contains("?") ? "&" : "?")\(item)"
    }
}
