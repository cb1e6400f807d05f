/// The cookies of the gateway itself: `drawbridge-*` and `__Host-drawbridge-*`.
///
/// They are removed from a request when its head is made, and from every response: handlers, upstreams and other hosts
/// never see one, and cannot set one.
package enum OwnCookies {
    /// The header fields without our cookies, and our cookies by their names.
    static func takenOut(of headers: HTTPFields) -> (others: HTTPFields, own: [String: String]) {
        guard headers.contains(where: { $0.name == .cookie && hasOwn($0) }) else { return (headers, [:]) }
        var others = HTTPFields()
        var own: [String: String] = [:]
        for field in headers {
            guard field.name == .cookie, hasOwn(field) else {
                others.append(field)
                continue
            }
            let pairs = field.withUnsafeBytesOfValue { Array($0) }.split(separator: UInt8(ascii: ";"))
            own.merge(Cookies.parse([field.value]).filter { isOwn(Array($0.key.utf8)[...]) }) { first, _ in
                first
            }
            let left = pairs.filter { !isOwn($0) }.joined(separator: [UInt8(ascii: ";")])
            let text = Array(left).drop(while: \.isBlank)
            if !text.isEmpty { others.append(HTTPField(name: field.name, value: Array(text))) }
        }
        return (others, own)
    }

    /// Whether a `Set-Cookie` would set a cookie of the gateway's in any browser.
    package static func isSet(by field: HTTPField) -> Bool {
        field.name == .setCookie && field.withUnsafeBytesOfValue { isOwn(Array($0)[...]) }
    }

    /// Whether a pair is one of the gateway's cookies.
    ///
    /// A cookie without a name could pass for one of ours: a browser sends it as its value alone, `drawbridge-x=1`. So
    /// the beginning of the pair is looked at, whether it is a name or a value, behind any equals sign.
    private static func isOwn(_ pair: ArraySlice<UInt8>) -> Bool {
        let text = pair.drop { $0.isBlank || $0 == UInt8(ascii: "=") }
        return names.contains { name in
            text.prefix(name.count).elementsEqual(name) { $0.lowercased == $1 }
        }
    }

    private static let names = ["drawbridge-", "__host-drawbridge-"].map { Array($0.utf8) }

    /// Whether a field may hold a cookie of ours: a quick look, since most cookies are not ours.
    private static func hasOwn(_ field: HTTPField) -> Bool {
        field.withUnsafeBytesOfValue { $0.map(\.lowercased).firstRange(of: names[0]) != nil }
    }
}
