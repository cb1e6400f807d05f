/// What the browser calls itself to pages and to the servers behind the gateway, as an app's web view does.
///
/// Pages and servers decide by it. Who may ask is decided before, by what the browser has sent.
package struct AppName: Equatable, Sendable {
    /// `{{userAgent}}` in it is the browser's own name.
    package let text: String

    /// Nil for what no header field may hold, or has another word in braces than the browser's own name.
    package init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }),
            !text.replacing(Self.own, with: "").contains("{{")
        else { return nil }
        self.text = text
    }

    private static let own = "{{userAgent}}"

    /// What is sent for it by a browser of this name.
    package func text(in browser: String) -> String { text.replacing(Self.own, with: browser) }
}
