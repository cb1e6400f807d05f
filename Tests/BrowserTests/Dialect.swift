/// What a page speaks that may speak any: `?dialect=` of the pages with `nested.js`.
enum Dialect: String, CaseIterable, Sendable {
    case wvjb6, wvjb5, wvjb4, queue, messages

    /// All of them in the browser that is always there, with `scripts/test --all`; else those that have least in common.
    static let tried: [(browser: Browser, dialect: Dialect)] = Browser.installed.flatMap { browser in
        let dialects = Browser.isThorough && browser == .chromium ? allCases : [.wvjb6, .messages]
        return dialects.map { (browser, $0) }
    }
}
