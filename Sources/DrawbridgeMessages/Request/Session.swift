/// The name of a session: a test's own state in a gateway, such as its scenarios, its replies and its places in
/// sequences.
///
/// Tests that run in parallel thus do not disturb each other. The name grants nothing, and a page may know it.
@usableFromInline package struct Session: Sendable, Hashable, Codable {
    /// The name: 1 to 64 characters of `A` to `Z`, `a` to `z`, `0` to `9`, `.`, `_` and `-`.
    package let name: String

    package static let usual = Session("default")!

    /// The most sessions that are kept; one more replaces the one that was idle longest.
    package static let most = 1000

    package init?(_ name: String) {
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.name = name
    }

    /// The name of a browser's session cookie; the port is in it, since browsers send a cookie to all ports of a host.
    package static func cookie(port: Int) -> String { "drawbridge-session-\(port)" }
}
