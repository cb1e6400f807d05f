/// Takes requests whose query has this item, with exactly this name and value (contract, section 1).
public struct FlagRule: InterceptionRule {
    let item: Query.Item
    private let flag: [UInt8]

    package init(name: String, value: String) {
        item = Query.Item(name: name, value: value)
        flag = Array("\(name)=\(value)".utf8)
    }

    /// The request without the flag; other items are left unchanged; nil if the query does not have the flag.
    public func canonicalRequest(for request: Request) -> Request? {
        guard let target = without(request.target) else { return nil }
        var request = request
        request.target = target
        return request
    }

    private func without(_ text: String) -> String? {
        // In most calls the flag is the only item, so it is enough to cut it off the end of the target.
        let path: String? = text.withBytes { bytes in
            let mark = bytes.count - flag.count - 1
            guard mark >= 0, bytes[mark] == UInt8(ascii: "?") else { return nil }
            for place in flag.indices where bytes[mark + 1 + place] != flag[place] { return nil }
            for place in 0..<mark where bytes[place] == UInt8(ascii: "?") { return nil }
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[..<mark]), as: UTF8.self)
        }
        if let path { return path }
        var target = Target(text)
        guard target.query != nil else { return nil }
        let parts = (target.query ?? "").utf8.split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = parts.filter { !isFlag($0) }
        guard kept.count < parts.count else { return nil }
        target.query = kept.isEmpty ? nil : kept.map { String(Substring($0)) }.joined(separator: "&")
        return target.text
    }

    /// Whether an item is the flag: unencoded, percent-encoded, or without `=` if its value is empty.
    private func isFlag(_ part: Substring.UTF8View) -> Bool {
        if part.elementsEqual(flag) { return true }
        let isEncoded = part.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        return (isEncoded || item.value.isEmpty) && Query.Item(part) == item
    }
}

extension InterceptionRule where Self == FlagRule {
    /// Requests with the query item `_mobile_bridge=1` are for native; another item can be given.
    public static func flag(_ name: String = "_mobile_bridge", _ value: String = "1") -> Self {
        FlagRule(name: name, value: value)
    }
}
