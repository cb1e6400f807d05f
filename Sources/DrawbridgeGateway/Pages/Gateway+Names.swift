import DrawbridgeJSON
import DrawbridgeJournal
import DrawbridgeMessages
import DrawbridgeMocks
import DrawbridgePageRuntime
import Logging
import Synchronization

// The names that the bridge objects of a page have, and the messages about names that it looked up in vain.
extension Gateway {
    package func shownNames(toPageAt path: String?, id: String?, in session: Session) -> PageNames {
        guard let runtime = pageRuntime else { return PageNames() }
        return PageNames(
            present: runtime.showsAllNames ? names(forPageAt: path, id: id, in: session) : [],
            absent: replyBook.missing(among: runtime.givenNames, in: session, ofPageAt: path).sorted())
    }

    package func complaint(
        about answer: PageAnswer, to call: PageCall, of page: Page
    ) -> (text: String, isNews: Bool)? {
        guard let hint = answer.hint else { return nil }
        let mock = hint.hasPrefix("no handler") ? howToMock(request(call, of: page)) : ""
        let times = journal.isTold ? nil : timesMissed(call.name)
        let caller = call.bridge?.rawValue ?? "a page"
        return ("\(hint) (called by \(caller))\(mock)\(times ?? "")", isNews: times != nil)
    }

    package func complaint(about missed: MissedName, of page: Page) -> (text: String, isNews: Bool)? {
        if missed.isOfPrompt { return BridgeHint.ofPrompt(missed.name).flatMap(complaint(aboutPromptFor:)) }
        guard let runtime = pageRuntime, missed.isMessageHandler || runtime.shortcuts.contains(missed.object),
            let reason = reason(for: missed, in: page, runtime)
        else { return nil }
        return (
            "the page has read \(missed.text), which is not there: \(reason)",
            replyBook.news { $0.isNews(missed: missed.text) }
        )
    }

    package func hasBridge(_ bridge: Page.Bridge) -> Bool {
        pageRuntime?.bridges.contains { $0.name == bridge.rawValue } == true
    }

    package func complaint(about hint: BridgeHint) -> (text: String, isNews: Bool)? {
        guard !isGiven(hint) else { return nil }
        return (
            "the page has failed without \(hint.name); if that is its app's bridge, pages get it by \(hint.option)",
            replyBook.news { $0.isNews(missed: hint.name) }
        )
    }

    package func complaint(about note: InAppNote, of page: Page) -> (text: String, isNews: Bool)? {
        let browser = [page.userAgent.flatMap(Self.app), page.remoteAddress].compactMap(\.self)
        let port = program.ownAddress?.split(separator: ":").last ?? "8080"
        let place = "\(page.path) (\(browser.joined(separator: ", ")))"
        return (
            note.sentence(at: place, here: "http://localhost:\(port)"),
            replyBook.isNews(note.name, in: browser.joined(separator: " "))
        )
    }

    /// The name that an app adds to the `User-Agent` of its web view: `ShopApp/3.2`; nil if there is none.
    private static func app(in userAgent: String) -> String? {
        let engines = ["Mozilla", "AppleWebKit", "Version", "Chrome", "Mobile", "Safari", "Gecko", "Firefox"]
        return userAgent.split(separator: " ").last { word in
            word.contains("/") && !engines.contains { word.hasPrefix("\($0)/") }
        }.map { String($0).cut(to: 40) }
    }

    private func complaint(aboutPromptFor hint: BridgeHint) -> (text: String, isNews: Bool)? {
        guard !isGiven(hint) else { return nil }
        return (
            "the page calls native by prompt(), and nothing answers it: pages get it by \(hint.option)",
            replyBook.news { $0.isNews(missed: hint.name) }
        )
    }

    /// Why a page does not find a name, and what to do; nil if a reply declares the name as `$missing`.
    private func reason(for missed: MissedName, in page: Page, _ runtime: PageRuntime) -> String? {
        if missed.isMessageHandler, let hint = BridgeHint.ofMessageHandler(missed.name) {
            return "pages get it by \(hint.option)"
        }
        let request = request(PageCall(missed.name), of: page)
        let path = page.path
        guard replyBook.missing(among: [missed.name], in: page.session, ofPageAt: path).isEmpty else {
            return nil
        }
        let flag = missed.isMessageHandler ? runtime.flag(forHandler: missed) : nil
        let handled = Target.segments(of: request.path).map { matches($0, for: request) } ?? []
        let replies = replies(for: request)
        if replies.hasName || handled.contains(where: \.route.pattern.isOnePath) {
            return flag.map { "it is answered, and pages find it there by \($0)" }
                ?? "it was added after the page was loaded; reload the page"
        }
        if replies.mayAnswer || !handled.isEmpty {
            return "only a pattern answers it, and pages get no names from patterns: mock this very name"
        }
        let more = flag.map { ", and give it to pages by \($0)" } ?? ""
        return "\(hint(for: request))\(howToMock(request))\(more)"
    }
}

extension PageRuntime {
    /// The flag that adds a name to `webkit.messageHandlers`, after the present names; nil if pages have every name.
    ///
    /// A page may read any name, and a person pastes the flag into a shell: so only plain names are shown in it.
    fileprivate func flag(forHandler missed: MissedName) -> String? {
        if messageHandlers.contains(Self.everyName) { return nil }
        let names = messageHandlers.map { replyHandlers.contains($0) ? "\($0)=reply" : $0 }
        return "--message-handler " + (names + [missed.isPlain ? missed.name : "…"]).joined(separator: ",")
    }
}

// Bridges that the scripts of a served folder use.
extension Gateway {
    /// Logs the bridges that served scripts use but pages do not get, and keeps them for the pages' consoles.
    package func remember(_ bridges: [SpokenBridge]) {
        var bridges = bridges.filter { !isGiven($0.hint) }
        guard !bridges.isEmpty else { return }
        for index in bridges.indices
        where program.appName != nil || bridges[index].pages.contains(where: hasAppName) {
            bridges[index].readerOfUserAgent = nil
        }
        spokenBridges.withLock { $0 += bridges }
        for bridge in bridges where replyBook.news({ $0.isNews(missed: bridge.hint.name) }) {
            logger.notice("\(bridge.sentence)")
            if journal.isOn { journal.note(bridge.sentence, about: bridge.hint.name) }
        }
        for page in pages.all { tellOfSpokenBridges(page) }
    }

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

    private func hasAppName(_ file: String) -> Bool {
        replyBook.settings(ofPageAt: "/\(file)").appName != nil
    }

    func isGiven(_ hint: BridgeHint) -> Bool {
        guard let runtime = pageRuntime else { return true }
        return runtime.bridges.contains { $0.gives(hint) } || runtime.shortcuts.contains(hint.name)
    }
}
