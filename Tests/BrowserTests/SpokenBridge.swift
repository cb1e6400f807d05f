/// The bridge by which a page calls that can call by any: `?bridge=` of the pages with `nested.js`.
enum SpokenBridge: String, CaseIterable, Sendable {
    case wvjb6, wvjb5, wvjb4, queue, messages

    /// All of them in the browser that is always there, with `scripts/test --all`; else those that have least in
    /// common.
    static let tried: [(browser: Browser, bridge: SpokenBridge)] = Browser.tried.flatMap { browser in
        let bridges = Browser.isThorough && browser == .chromium ? allCases : [.wvjb6, .messages]
        return bridges.map { (browser, $0) }
    }
}
