import Synchronization

// Bridges that the scripts of a served folder use.
extension Gateway {
    /// Logs the bridges that pages use and do not get, and keeps them for the pages' consoles.
    package func remember(_ bridges: [SpokenBridge]) {
        var bridges = bridges.filter { !isGiven($0.hint) }
        guard !bridges.isEmpty else { return }
        for index in bridges.indices where appName != nil || bridges[index].pages.contains(where: hasAppName)
        {
            bridges[index].readerOfUserAgent = nil
        }
        spokenBridges.withLock { $0 += bridges }
        for bridge in bridges where replyBook.news({ $0.isNews(missed: bridge.hint.name) }) {
            logger.notice("\(bridge.sentence)")
            if journal.isOn { journal.note(bridge.sentence, about: bridge.hint.name) }
        }
        for page in pages.open { tellOfSpokenBridges(page) }
    }

    /// Tells a page's console which bridges its scripts use and do not get.
    func tellOfSpokenBridges(_ page: Page) {
        for bridge in spokenBridges(ofPageAt: page.path) { page.tell(of: bridge) }
    }

    package func spokenBridges(ofPageAt path: String) -> [SpokenBridge] {
        let all = spokenBridges.withLock { $0 }
        guard !all.isEmpty, let segments = Target.segments(of: path) else { return [] }
        let isFolder = segments.isEmpty || path.hasSuffix("/")
        let file = (isFolder ? segments + ["index.html"] : segments).joined(separator: "/")
        return all.filter { $0.pages.contains(file) }
    }

    /// Whether the page of a file in the served folder has a user agent of its own.
    private func hasAppName(_ file: String) -> Bool {
        replyBook.settings(ofPageAt: "/\(file)").appName != nil
    }

    func isGiven(_ hint: BridgeHint) -> Bool {
        guard let runtime = pageRuntime else { return true }
        return runtime.bridges.contains { $0.gives(hint) } || runtime.shortcuts.contains(hint.name)
    }
}
