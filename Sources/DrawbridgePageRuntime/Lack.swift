/// Something of an app's that a page looks for in vain, and that a setting gives to pages.
///
/// Pages choose the names, which a person then writes into a file: so only those are taken that the setting can have.
package struct Lack: Hashable, Sendable {
    /// The key in files; the same as the flag.
    package enum Setting: String, Sendable {
        case bridge, inject, scheme
        case messageHandler = "message-handler"
    }

    package enum Sign: Sendable {
        /// A script of the served folder uses it; `advice` is the end of the sentence.
        case script(String, advice: String)
        case failure
        case lookUp
        /// The server has redirected the page to it at this path.
        case redirect(String)
    }

    package let setting: Setting
    /// What the setting's list gets: a name, or for a bridge with options an object.
    package let value: JSON

    private init(_ setting: Setting, _ value: JSON) { (self.setting, self.value) = (setting, value) }

    package init(_ hint: BridgeHint) {
        guard var options = try? JSON(parsing: Array(hint.options.utf8)).objectValue else {
            self.init(.bridge, .string(hint.bridge))
            return
        }
        // The bridge `object` may be there for another object.
        options["as"] = .string(hint.name)
        self.init(.bridge, ["name": .string(hint.bridge), "options": .object(options)])
    }

    /// Nil for a name that no setting gives: an object's own, or one that no script or URL could have.
    package init?(_ missed: MissedName) {
        let scheme = missed.name.lowercased()
        let hint: BridgeHint? =
            switch missed.object {
            case MissedName.handlers: .ofMessageHandler(missed.name)
            case MissedName.prompt: .ofPrompt(missed.name)
            case Self.schemes: BridgeHint.all.first { $0.name.hasPrefix("\(scheme)://") }
            default: nil
            }
        if let hint {
            self.init(hint)
        } else if missed.isMessageHandler, Self.isIdentifier(missed.name) {
            self.init(.messageHandler, .string(missed.name))
        } else if missed.object == Self.schemes, Self.isScheme(scheme), !Self.isTaken(scheme) {
            self.init(.scheme, .string(scheme))
        } else {
            return nil
        }
    }

    private static func isTaken(_ scheme: String) -> Bool {
        browsersOwn.contains(scheme) || ["intent", "market"].contains(scheme) || scheme.hasPrefix("itms")
            || scheme.hasSuffix("-extension")
    }

    /// The function of an error's text: `callNative is not defined`, `window.callNative is not a function`.
    package init?(failure message: String) {
        let after = message.firstRange(of: "Can't find variable: ").map { message[$0.upperBound...] }
        let before = [" is not defined", " is not a function"].lazy.compactMap { message.firstRange(of: $0) }
            .first.flatMap { message[..<$0.lowerBound].split(separator: " ").last }
        guard var name = after ?? before else { return nil }
        if name.hasPrefix("window.") { name = name.dropFirst("window.".count) }
        guard name.utf8.count <= 100, Self.isIdentifier(String(name)) else { return nil }
        self.init(.inject, .string(String(name)))
    }

    /// The name of the calls that it makes; nil if it makes calls of any name.
    package var call: String? {
        guard [.messageHandler, .inject].contains(setting) else { return nil }
        return value.stringValue.flatMap { Self.anyCall.contains($0) ? nil : $0 }
    }

    package var title: String {
        let name = value.stringValue ?? ""
        return switch setting {
        case .bridge: name
        case .messageHandler: "webkit.messageHandlers.\(name)"
        case .inject: "\(name)()"
        case .scheme: "\(name)://"
        }
    }

    package var members: JSON { [setting.rawValue: [value]] }

    /// The flag that gives it, to be pasted into a shell.
    package var flag: String {
        let text = value.stringValue ?? "object=\(value["options"] ?? [:])"
        let isPlain = text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
        return "--\(setting.rawValue) \(isPlain ? text : "'\(text)'")"
    }

    /// Names through which a page can make any call; `*` stands for every name.
    static let anyCall: Set = ["*", "JSBridge", "callNative", "fetchMessages"]

    /// What ``MissedName/object`` is for a URL of a scheme that nobody takes.
    package static let schemes = "://"

    /// URL schemes that browsers handle themselves.
    package static let browsersOwn: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "javascript", "ws", "wss",
    ]

    /// RFC 3986, section 3.1.
    package static func isScheme(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isLetter else { return false }
        return name.utf8.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
    }

    package static func isIdentifier(_ name: String) -> Bool {
        // Assigning to `__proto__` sets an object's prototype and creates no property.
        if name == "__proto__" { return false }
        guard let first = name.utf8.first, !first.isDigit else { return false }
        return name.unicodeScalars.allSatisfy {
            $0.isASCII ? UInt8(ascii: $0).isWord || $0 == "$" : $0.properties.isAlphabetic
        }
    }
}
