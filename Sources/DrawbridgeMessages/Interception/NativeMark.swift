/// What a program must write to mark a request as one for native, by the rules of a gateway.
package struct NativeMark {
    /// The query item that marks it; nil where no rule looks for one.
    private let flag: Query.Item?
    private let hasPath: Bool

    package init(_ rules: [any InterceptionRule]) {
        flag = rules.lazy.compactMap { ($0 as? FlagRule)?.item }.first
        // What a user's own rules look for is not known here.
        hasPath = flag == nil || rules.contains { $0 is JSBridgeRule }
    }

    package func target(_ plain: String) -> String {
        // A name that itself begins with `__jsbridge__` stays whole only in the path form.
        let isBelow = hasPath && JSBridgeRule.isBelow(String(plain.prefix { $0 != "?" }))
        guard let flag, !isBelow else { return "/\(JSBridgeRule.name)\(plain)" }
        let item = "\(Percent.encode(flag.name, keeping: ""))=\(Percent.encode(flag.value, keeping: ""))"
        return "\(plain)\(plain.contains("?") ? "&" : "?")\(item)"
    }
}
