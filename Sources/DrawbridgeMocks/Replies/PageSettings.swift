import HTTPGrammar
import HTTPTypes

/// What pages get besides replies, as from an app: globals, cookies, a `User-Agent`, bridges.
package struct PageSettings: Sendable {
    /// Properties of `window` that are there before the page's first script.
    package var globals = JSON.Object()
    /// Cookies that documents get whose requests do not have them: names and values.
    package var cookies: [(name: String, value: String)] = []
    /// The `User-Agent`; nil for the browser's own.
    package private(set) var appName: AppName?
    /// The names of the `--bridge` bridges that the pages get; nil for all of them.
    package private(set) var bridges: Set<String>?
    /// Warnings about what is valid, but probably a mistake.
    private(set) var doubts: [ReplyFault] = []

    package init() {}

    /// Whether nothing is set.
    var isEmpty: Bool { globals.count == 0 && cookies.isEmpty && appName == nil && bridges == nil }

    /// These settings, completed by those of another.
    func merged(before other: PageSettings) -> PageSettings {
        var merged = self
        for (name, value) in other.globals where merged.globals[name] == nil { merged.globals[name] = value }
        merged.cookies += other.cookies.filter { cookie in !cookies.contains { $0.name == cookie.name } }
        merged.appName = appName ?? other.appName
        merged.bridges = bridges ?? other.bridges
        return merged
    }

    static let keys = ["cookies", "globals", "userAgent"]
    /// The keys that settings of some pages have as well.
    static let keysOfSome = ["bridge"]

    /// Reads those members of ``keys`` that are present.
    ///
    /// - Parameter isOfSome: whether they are for some pages, and so may choose among the bridges of all.
    init(_ members: [(name: String, value: LocatedJSON)], isOfSome: Bool = false) throws(ReplyFault) {
        for (name, value) in members {
            switch name {
            case "globals": globals = try Self.globals(value)
            case "cookies": cookies = try Self.cookies(value)
            case "userAgent": appName = try Self.appName(value)
            case "bridge" where isOfSome: bridges = try Self.bridges(value)
            default: break
            }
        }
    }

    private static func globals(_ value: LocatedJSON) throws(ReplyFault) -> JSON.Object {
        guard let members = value.members, case .object(let globals) = value.json else {
            throw ReplyFault(
                "globals are an object of the window's properties: {\"appInfo\": {\"version\": \"3.2\"}}",
                at: value)
        }
        for (name, value) in members where name == "__proto__" || hasPrototype(value) {
            throw ReplyFault(
                "\(name) has a member __proto__, which scripts read as something else; leave it out",
                at: value)
        }
        for (name, value) in members where !isName(name) {
            throw ReplyFault("\(name) is no name of JavaScript's, in ASCII, such as appInfo", at: value)
        }
        return globals
    }

    private static func hasPrototype(_ value: LocatedJSON) -> Bool {
        value.members?.contains { $0.name == "__proto__" || hasPrototype($0.value) } == true
            || value.elements?.contains(where: hasPrototype) == true
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "$") }
    }

    private static func cookies(_ value: LocatedJSON) throws(ReplyFault) -> [(name: String, value: String)] {
        guard let members = value.members else {
            throw ReplyFault("cookies are an object: {\"sid\": \"s1\"}", at: value)
        }
        var cookies: [(name: String, value: String)] = []
        for (name, value) in members {
            guard let text = value.json.stringValue else {
                throw ReplyFault("the value of a cookie is a text", at: value)
            }
            // RFC 6265, section 4.1.1: a token, and octets without spaces, quotes, commas, semicolons and backslashes.
            guard HTTPField.Name(name) != nil, text.utf8.allSatisfy(isCookieOctet) else {
                throw ReplyFault(
                    "a cookie has a name of letters, digits and - or _, and a value without spaces, quotes, commas, semicolons and backslashes; encode it: %20",
                    at: value)
            }
            guard !OwnCookies.isSet(by: HTTPField(name: .setCookie, value: "\(name)=\(text)")) else {
                throw ReplyFault(
                    "cookies of the name \(name) are the gateway's own; choose another", at: value)
            }
            cookies.append((name, text))
        }
        return cookies
    }

    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte)
            && ![UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\")].contains(byte)
    }

    private static func bridges(_ value: LocatedJSON) throws(ReplyFault) -> Set<String> {
        let names = (value.elements?.map(\.json) ?? [value.json]).map(\.stringValue)
        guard names.allSatisfy({ $0.map(BridgeName.isOne) == true }) else {
            throw ReplyFault(
                "bridge has names of those that all pages would get, such as [\"flutter\"]; [] is none",
                at: value)
        }
        return Set(names.compactMap { $0 })
    }

    private static func appName(_ value: LocatedJSON) throws(ReplyFault) -> AppName {
        guard let name = value.json.stringValue.flatMap(AppName.init) else {
            throw ReplyFault(
                """
                userAgent is a text in ASCII without control characters, in which {{userAgent}} alone stands for \
                something, the browser's own name: "{{userAgent}} ShopApp/3.2"
                """, at: value)
        }
        return name
    }
}
