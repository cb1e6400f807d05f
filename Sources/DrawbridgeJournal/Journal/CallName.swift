/// The form of a call's name in the journal: without a slash at its beginning.
package enum CallName {
    package static func plain(_ name: String) -> String {
        name.hasPrefix("/") ? String(name.dropFirst()) : name
    }

    /// The path in a target, as pages and people write it: decoded.
    package static func path(in target: String) -> String {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return Percent.decode(path) ?? String(Substring(path))
    }

    /// Whether a mock can have exactly this name: in a file `user/:id` and `*` are patterns, and `$when` is a keyword.
    package static func canHaveReply(_ name: String) -> Bool {
        RoutePattern(checking: name)?.names.isEmpty == true && !name.hasPrefix("$")
            && name.contains { !$0.isWhitespace }
    }

    /// Whether the name can be pasted into a shell without quotes; pages may call any name.
    package static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isWord || "./-".utf8.contains($0) }
    }
}

extension Request {
    package var name: String { CallName.plain(CallName.path(in: target)) }
}
