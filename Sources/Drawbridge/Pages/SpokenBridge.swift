/// A bridge of which the scripts of a served folder speak, and which pages are not given.
package struct SpokenBridge: Sendable {
    /// The bridge, and the option that gives it to pages.
    package let hint: BridgeHint
    /// The script or page that speaks of it, below the folder: `js/app.js`.
    package let file: String
    /// The pages that have this script, by the paths of their files below the folder: `cart/index.html`.
    package let pages: Set<String>

    package init(_ hint: BridgeHint, in file: String, of pages: Set<String>) {
        self.hint = hint
        self.file = file
        self.pages = pages
    }

    /// What log, journal and console say.
    var sentence: String { "\(file) speaks of \(hint.name): start with \(hint.option)" }
}
