/// How requests for native are told from others by the rules of a gateway: what a program writes that makes one.
package struct NativeMark {
    /// The item of the query that says so; nil where no rule looks for one.
    package let flag: Query.Item?
    /// Whether the path `/__jsbridge__` says so.
    package let hasPath: Bool

    package init(_ rules: [any InterceptionRule]) {
        flag = rules.lazy.compactMap { ($0 as? FlagRule)?.item }.first
        // Rules of a user's own say it in a way that nobody here knows.
        hasPath = flag == nil || rules.contains { $0 is JSBridgeRule }
    }

    /// Path and query of a call, with the mark.
    package func target(_ plain: String) -> String {
        // Of a path that itself begins with the bridge's, only the bridge's own form leaves the name whole.
        let isBelow = hasPath && JSBridgeRule.isBelow(String(plain.prefix { $0 != "?" }))
        guard let flag, !isBelow else { return "/\(JSBridgeRule.name)\(plain)" }
        let item = "\(Percent.encode(flag.name, keeping: ""))=\(Percent.encode(flag.value, keeping: ""))"
        return "\(plain)\(plain.contains("?") ? "&" : "?")\(item)"
    }
}
