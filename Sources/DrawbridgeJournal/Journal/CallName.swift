import DrawbridgeMessages
import HTTPGrammar

/// The name of a call as the journal has it: with slashes between its parts, and none before them.
package enum CallName {
    package static func plain(_ name: String) -> String {
        name.hasPrefix("/") ? String(name.dropFirst()) : name
    }

    /// Whether a file takes it as the name of a reply: `user/:id` and `*` stand for other names there, `$when` for none.
    package static func canHaveReply(_ name: String) -> Bool {
        RoutePattern(checking: name)?.names.isEmpty == true && !name.hasPrefix("$")
            && name.contains { !$0.isWhitespace }
    }

    /// Whether a person may paste it into a shell as it is: a page may call any name.
    package static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isWord || "./-".utf8.contains($0) }
    }
}
