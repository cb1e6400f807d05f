/// The `User-Agent` that pages and upstreams see, as an app's web view sends it.
///
/// Access is decided before, by the one that the browser has sent.
package struct AppName: Equatable, Sendable {
    /// `{{userAgent}}` in it stands for the browser's own.
    package let text: String

    /// Nil for what no header field may hold, and for any template but `{{userAgent}}`.
    package init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }),
            !text.replacing(Self.own, with: "").contains("{{")
        else { return nil }
        self.text = text
    }

    private static let own = "{{userAgent}}"

    /// What to send in place of a browser's own `User-Agent`.
    package func text(in browser: String) -> String { text.replacing(Self.own, with: browser) }
}
