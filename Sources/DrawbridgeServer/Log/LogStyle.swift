import Glibc

/// What a log's output takes besides plain lines.
package struct LogStyle: Sendable, Hashable {
    /// True where a line can be erased and written again.
    package var erasesLines = false
    /// True where kinds of lines have colours.
    package var hasColors = false

    /// Plain lines alone.
    package static let plain = LogStyle()

    package init(erasesLines: Bool = false, hasColors: Bool = false) {
        self.erasesLines = erasesLines
        self.hasColors = hasColors
    }

    /// Takes what the output is and what the environment says: `TERM`, and `NO_COLOR` (no-color.org).
    package init(
        of output: Int32,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        let terminal = environment("TERM") ?? ""
        erasesLines = isatty(output) == 1 && !["", "dumb"].contains(terminal)
        hasColors = erasesLines && (environment("NO_COLOR") ?? "").isEmpty
    }
}
