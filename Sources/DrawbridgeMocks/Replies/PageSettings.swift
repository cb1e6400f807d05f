/// What a page gets in addition to mocks, as in an app: globals, cookies, a `User-Agent`, bridges.
package struct PageSettings: Sendable {
    /// Properties of `window`, set before the page's first script runs.
    package var globals = JSON.Object()
    /// Cookies that are set with a document if its request did not have them.
    package var cookies: [(name: String, value: String)] = []
    /// The `User-Agent`; nil if the browser's is kept.
    package private(set) var appName: AppName?
    /// The names of the `--bridge` bridges that the page gets; nil for all of them.
    package private(set) var bridges: Set<String>?

    package init() {}

    var isEmpty: Bool { globals.count == 0 && cookies.isEmpty && appName == nil && bridges == nil }

    func merged(before other: PageSettings) -> PageSettings {
        var merged = self
        for (name, value) in other.globals where merged.globals[name] == nil { merged.globals[name] = value }
        merged.cookies += other.cookies.filter { cookie in !cookies.contains { $0.name == cookie.name } }
        merged.appName = appName ?? other.appName
        merged.bridges = bridges ?? other.bridges
        return merged
    }

    /// Reads the settings from the members of a file of mocks, or of an entry of its `pages`.
    init(_ parts: [String: LocatedJSON]) throws(ReplyFault) {
        globals = try parts["globals"].map(Self.globals) ?? JSON.Object()
        cookies = try parts["cookies"].map(Self.cookies) ?? []
        appName = try parts["userAgent"].map(Self.appName)
        bridges = try parts["bridge"].map(Self.bridges)
    }

    private static func globals(_ value: LocatedJSON) throws(ReplyFault) -> JSON.Object {
        let members = value.members ?? []
        for (name, value) in members where name == "__proto__" || hasPrototype(value) {
            throw ReplyFault(
                "\(name) has a member __proto__, which would change the object's prototype; leave it out",
                at: value)
        }
        for (name, value) in members where !isName(name) {
            throw ReplyFault("\(name) \(Grammar.globalIsWanted)", at: value)
        }
        return value.json.objectValue ?? JSON.Object()
    }

    private static func hasPrototype(_ value: LocatedJSON) -> Bool {
        value.members?.contains { $0.name == "__proto__" || hasPrototype($0.value) } == true
            || value.elements?.contains(where: hasPrototype) == true
    }

    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "$") }
    }

    private static func cookies(_ value: LocatedJSON) throws(ReplyFault) -> [(name: String, value: String)] {
        var cookies: [(name: String, value: String)] = []
        for (name, value) in value.members ?? [] {
            guard let text = value.json.stringValue else {
                throw ReplyFault("the value of a cookie must be a string", at: value)
            }
            // RFC 6265, section 4.1.1: a token, and a value without spaces, quotes, commas, semicolons and backslashes.
            guard HTTPField.Name(name) != nil,
                text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\",;\\".utf8.contains($0) })
            else {
                throw ReplyFault(Grammar.cookieIsWanted, at: value)
            }
            guard !OwnCookies.isSet(by: HTTPField(name: .setCookie, value: "\(name)=\(text)")) else {
                throw ReplyFault(
                    "cookies of the name \(name) are the gateway's own; choose another", at: value)
            }
            cookies.append((name, text))
        }
        return cookies
    }

    private static func bridges(_ value: LocatedJSON) throws(ReplyFault) -> Set<String> {
        let names = (value.elements?.map(\.json) ?? [value.json]).map(\.stringValue)
        if names.allSatisfy({ $0.map(BridgeName.isOne) == true }) { return Set(names.compactMap { $0 }) }
        throw Grammar.page.fault("bridge", at: value)
    }

    private static func appName(_ value: LocatedJSON) throws(ReplyFault) -> AppName {
        if let name = value.json.stringValue.flatMap(AppName.init) { return name }
        throw Grammar.file.fault("userAgent", at: value)
    }
}

/// The `User-Agent` that page scripts and upstreams see instead of the browser's.
///
/// Access rules still look at the `User-Agent` that the browser sent.
package struct AppName: Equatable, Sendable {
    /// May contain `{{userAgent}}`, which is replaced by the browser's `User-Agent`.
    package let text: String

    /// Nil unless the text is printable ASCII whose only template is `{{userAgent}}`.
    package init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }),
            !text.replacing(Self.own, with: "").contains("{{")
        else { return nil }
        self.text = text
    }

    private static let own = "{{userAgent}}"

    /// The text for a browser; the browser's own where that has the names already, as in the app itself.
    package func text(in browser: String) -> String {
        let names = text.replacing(Self.own, with: " ").matches(of: /[^\s\/]+\//).map(\.output)
        let isThere = text.contains(Self.own) && !names.isEmpty && names.allSatisfy(browser.contains)
        return isThere ? browser : text.replacing(Self.own, with: browser)
    }
}

package enum BridgeName {
    /// Whether a text is a valid bridge name: 1 to 32 ASCII letters, digits, `-` and `_`.
    package static func isOne(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
    }

    package static let own: Set = [
        "wvjb", "wvjb4", "message", "function", "queue", "reply", "ownLibrary", "inject", "shortcut",
        "iframe", "command", "script",
    ]
}
