/// A bridge that the scripts of a served folder use, and that pages do not get.
package struct SpokenBridge: Sendable {
    /// The bridge, and the option that gives it to pages.
    package let hint: BridgeHint
    /// The script or page that uses it, below the folder: `js/app.js`.
    package let file: String
    /// The pages that have this script, by the paths of their files below the folder: `cart/index.html`.
    package let pages: Set<String>
    /// The script or page that reads `navigator.userAgent`, in which apps write their names; nil for none.
    package var readerOfUserAgent: String?

    package init(
        _ hint: BridgeHint, in file: String, of pages: Set<String>, readerOfUserAgent: String? = nil
    ) {
        self.hint = hint
        self.file = file
        self.pages = pages
        self.readerOfUserAgent = readerOfUserAgent
    }

    /// The message for log, journal and console.
    package var sentence: String {
        let bridge = "\(file) speaks of \(hint.name): start with \(hint.option)"
        guard let readerOfUserAgent else { return bridge }
        return """
            \(bridge); \(readerOfUserAgent == file ? "it" : readerOfUserAgent) reads navigator.userAgent: if that is to \
            name the app, add --user-agent '{{userAgent}} \(hint.app)'
            """
    }
}
