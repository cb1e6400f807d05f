import Glibc

/// Whether a log's output can show colours.
package struct LogStyle: Sendable, Hashable {
    /// True where kinds of lines have colours.
    package var hasColors = false

    /// Without colours.
    package static let plain = LogStyle()

    package init(hasColors: Bool = false) { self.hasColors = hasColors }

    /// The style for an output, by whether it is a terminal, and by `TERM` and `NO_COLOR` (no-color.org).
    package init(
        of output: Int32,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        let terminal = environment("TERM") ?? ""
        let isPlain = ["", "dumb"].contains(terminal) || !(environment("NO_COLOR") ?? "").isEmpty
        hasColors = isatty(output) == 1 && !isPlain
    }
}
