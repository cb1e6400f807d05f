import Glibc

/// What a log's output takes besides plain lines.
package struct LogStyle: Sendable, Hashable {
    /// True where kinds of lines have colours.
    package var hasColors = false

    /// Plain lines alone.
    package static let plain = LogStyle()

    package init(hasColors: Bool = false) { self.hasColors = hasColors }

    /// Takes what the output is and what the environment says: `TERM`, and `NO_COLOR` (no-color.org).
    package init(
        of output: Int32,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        let terminal = environment("TERM") ?? ""
        let isPlain = ["", "dumb"].contains(terminal) || !(environment("NO_COLOR") ?? "").isEmpty
        hasColors = isatty(output) == 1 && !isPlain
    }
}
