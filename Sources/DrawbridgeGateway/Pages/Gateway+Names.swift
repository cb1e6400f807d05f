import Synchronization

// The names that the bridge objects of a page have, and the messages about names that it looked up in vain.
extension Gateway {
    package func shownNames(toPageAt path: String?, id: String?, in session: Session) -> PageNames {
        guard let runtime = pageRuntime else { return PageNames() }
        return PageNames(
            present: runtime.showsAllNames ? names(forPageAt: path, id: id, in: session) : [],
            absent: replyBook.missing(among: runtime.givenNames, in: session, ofPageAt: path).sorted())
    }

    package func hear(of answer: PageAnswer, to call: PageCall, from page: Page) {
        guard let hint = answer.hint else { return }
        let mock = hint.hasPrefix("no handler") ? howToMock(request(call, of: page)) : ""
        let times = journal.isTold ? nil : timesMissed(call.name)
        let caller = call.bridge?.rawValue ?? "a page"
        let text = "\(hint) (called by \(caller))\(mock)\(times ?? "")"
        if times == nil { page.tellConsole(text) } else { page.warn(text) }
    }

    package func hasBridge(_ bridge: Page.Bridge) -> Bool {
        pageRuntime?.bridges.contains { $0.name == bridge.rawValue } == true
    }

    package func hear(of note: InAppNote, from page: Page) {
        let browser = [page.userAgent.flatMap(Self.app), page.remoteAddress].compactMap(\.self)
        let port = program.ownAddress?.split(separator: ":").last ?? "8080"
        let place = "\(page.path) (\(browser.joined(separator: ", ")))"
        let text = note.sentence(at: place, here: "http://localhost:\(port)")
        if replyBook.isNews(note.name, in: browser.joined(separator: " ")) {
            page.note(.notice, note.name, saying: text)
            logger.notice("\(text)")
        }
        page.tellConsole(text)
    }

    /// The name that an app adds to the `User-Agent` of its web view: `ShopApp/3.2`; nil if there is none.
    private static func app(in userAgent: String) -> String? {
        let engines = ["Mozilla", "AppleWebKit", "Version", "Chrome", "Mobile", "Safari", "Gecko", "Firefox"]
        return userAgent.split(separator: " ").last { word in
            word.contains("/") && !engines.contains { word.hasPrefix("\($0)/") }
        }.map { String($0).cut(to: 40) }
    }

    /// Why a page does not find a name in an object that it has, and what to do; nil if a reply says `$missing`.
    private func reason(for name: String, in page: Page) -> String? {
        guard !isMissing(name, for: page) else { return nil }
        let request = request(PageCall(name), of: page)
        if isAnswered(name, for: page) {
            return "it was added after the page was loaded; reload the page"
        }
        let isHandled = Target.segments(of: request.path).map { !matches($0, for: request).isEmpty } ?? false
        if replies(for: request).mayAnswer || isHandled {
            return "only a pattern answers it, and pages get no names from patterns: mock this exact name"
        }
        return "\(hint(for: request))\(howToMock(request))"
    }

    private func isMissing(_ name: String, for page: Page) -> Bool {
        !replyBook.missing(among: [name], in: page.session, ofPageAt: page.path).isEmpty
    }

    private func isAnswered(_ name: String, for page: Page) -> Bool {
        isAnswered(request(PageCall(name), of: page))
    }

    /// Whether a handler or a reply has this very name, and not a pattern.
    package func isAnswered(_ name: String) -> Bool {
        isAnswered(Request(.post, "/" + Percent.encode(CallName.plain(name), keeping: "/")))
    }

    private func isAnswered(_ request: Request) -> Bool {
        let handled = Target.segments(of: request.path).map { matches($0, for: request) } ?? []
        return replies(for: request).hasName || handled.contains(where: \.route.pattern.isOnePath)
    }
}

// What pages look for in vain, and the setting that gives it to them.
extension Gateway {
    package func hear(of missed: MissedName, from page: Page) {
        let lack = Lack(missed)
        let title =
            switch missed.object {
            case MissedName.prompt: "an answer to prompt()"
            case MissedName.handlers: missed.text
            default: lack?.title ?? ""
            }
        let handlers = pageRuntime?.givesAllHandlers == true ? [MissedName.handlers] : []
        let isListed = ((pageRuntime?.shortcuts ?? []) + handlers).contains(missed.object)
        let hasAndroids = lack == nil && pageRuntime?.bridges.contains { $0.script == "android" } == true
        let isOfAndroids = hasAndroids && !isListed && !missed.isMessageHandler
        if let lack, !isGiven(lack, title) {
            guard !missed.isMessageHandler || !isMissing(missed.name, for: page) else { return }
            tell(lack, title, .lookUp, to: page)
        } else if let name = isOfAndroids ? "\(missed.object)/\(missed.name)" : isListed ? missed.name : nil,
            let reason = reason(for: name, in: page)
        {
            let text = "This page looked for \(missed.text), which does not exist: \(reason)"
            guard replyBook.news({ $0.isNews(missed: missed.text) }) else { return page.tellConsole(text) }
            page.note(.notice, missed.text, saying: text)
            page.warn(text)
        }
    }

    package func hear(ofFailure message: String, from page: Page) {
        if let hint = BridgeHint(message) {
            // An error with a member alone may be about a message handler that was looked up before.
            if !hint.isGuess || !page.missesHandler { tell(Lack(hint), hint.name, .failure, to: page) }
        } else if let lack = Lack(failure: message), lack.call.map({ isAnswered($0, for: page) }) ?? true {
            // Pages fail without functions of their own, too.
            tell(lack, lack.title, .failure, to: page)
        }
        let hint = Lack(failure: message)?.value.stringValue.flatMap(BridgeHint.named)
        guard let hint, let file = hint.library else { return }
        let words = "\(hint.name) is defined by the page's own \(file), which is not loaded"
        tell(Lack(hint), needing: words, to: page)
    }

    /// Says of what pages lack what this page must load too; nil for each new document, which may have it.
    func tell(_ lack: Lack? = nil, needing words: String?, to page: Page) {
        let file = Self.file(ofPageAt: page.path)
        for known in lacks.withLock(\.all) where known.files.contains(file) {
            guard let record = known.record, [nil, known.lack].contains(lack),
                journal.record(record)?.near != words
            else { continue }
            journal.note(of: record) { $0.near = words }
            if let words, replyBook.isNews(words, in: file) { page.warn("This page failed: \(words)") }
        }
    }

    func hear(ofRedirectTo scheme: String, by request: Request) {
        let missed = MissedName(["missed": .string(scheme), "of": .string(Lack.schemes)])
        guard let lack = missed.flatMap(Lack.init) else { return }
        let page = Self.file(ofPageAt: request.referrer?.path ?? request.path)
        tell(lack, lack.title, .redirect(request.path), of: [page])
    }

    private func tell(_ lack: Lack, _ title: String, _ sign: Lack.Sign, to page: Page) {
        tell(lack, title, sign, of: [Self.file(ofPageAt: page.path)], page)
    }

    /// Tells of something that pages lack: for each path once in log and journal, and each page's console once.
    private func tell(
        _ lack: Lack, _ title: String, _ sign: Lack.Sign, of files: Set<String>, _ page: Page? = nil
    ) {
        guard page?.isNews(lack) != false else { return }
        guard !isGiven(lack, title) else {
            guard let page, lack.setting == .bridge,
                replyBook.settings(ofPageAt: page.path).bridges != nil
            else { return }
            return page.warn(
                "This page failed without \(title), which its own \"bridge\" list below \"pages\" leaves out. Add it there"
            )
        }
        let text = sentence(about: lack, title, sign, for: page)
        guard lacks.withLock({ $0.isNews(lack, of: files) }) else {
            page?.tellConsole(text)
            return
        }
        let record = journal.isOn ? journal.note(.notice, of: page?.concerned, title, saying: text) : nil
        // Flags come before the file.
        let isForFile = program.pageFile?.flags.contains(lack.setting.rawValue) == false
        if isForFile, let record { journal.note(of: record) { $0.gives = (lack.members, false) } }
        let known = KnownLacks.Known(
            lack: lack, title: title, files: files, record: isForFile ? record : nil)
        lacks.withLock { $0.all.append(known) }
        if let page { page.warn(text) } else { logger.notice("\(text)") }
    }

    private func sentence(
        about lack: Lack, _ title: String, _ sign: Lack.Sign, for page: Page? = nil
    ) -> String {
        let key = lack.setting.rawValue
        var (what, place) = (lack.flag, " to the command line")
        if let (file, flags) = program.pageFile, !flags.contains(key) {
            // Each hint has the names of those before it.
            let others = missing().filter { $0.setting == lack.setting && $0 != lack }.map(\.value)
            let before = lack.call == nil ? [] : (pageRuntime?.given(lack.setting) ?? []) + others
            // Pages may look for any number of names.
            let list = (before + [lack.value]).suffix(9).map { "\($0)" }.joined(separator: ", ")
            what = "\"\(key)\": [\(before.count > 8 ? "…, " : "")\(list)]"
            place = " to \(file.split(separator: "/").suffix(2).joined(separator: "/"))"
        }
        switch sign {
        case .script(let file, let advice):
            let object = lack.setting == .bridge && Lack.isIdentifier(title) ? "window.\(title)" : title
            return "\(file) uses \(object). Add \(what)\(place)\(advice)"
        case .lookUp where lack.setting == .messageHandler:
            let isMocked = page.map { isAnswered(lack.call ?? "", for: $0) } == true
            let mock = isMocked ? "" : lack.call.map { ", and a mock \(JSON.string($0))" } ?? ""
            return "This page looked for \(title). To give it: \(what)\(mock)"
        case .lookUp where lack.setting == .scheme, .redirect:
            let who =
                if case .redirect(let path) = sign { "\(path) redirects to" } else { "This page opened" }
            return "\(who) \(title), and nothing takes it. If it is its app's scheme: add \(what)\(place)"
        case .lookUp:
            return "This page looked for \(title). Add \(what)\(place)"
        case .failure:
            return "This page failed without \(title). If its app has it: add \(what)\(place)"
        }
    }

    /// What pages lack now, each once, in the order in which it was noticed; a journal's record may name one of them.
    package func missing(_ record: Int? = nil) -> [Lack] {
        missing { record == nil ? $0.record != nil : $0.record == record }
    }

    /// The flags that would give pages what they lack: what the command line has, no file can.
    package var missingFlags: [String] { missing { $0.record == nil }.map(\.flag) }

    private func missing(_ isMeant: (KnownLacks.Known) -> Bool) -> [Lack] {
        lacks.withLock(\.all).filter { isMeant($0) && !isGiven($0.lack, $0.title) }.map(\.lack)
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    package func isMissing(_ member: GivenMember) -> Bool {
        missing().contains { $0.setting.rawValue == member.key && $0.value == member.value }
    }

    /// Gives other things to the documents that are loaded from now on; what was missing is told of as given.
    package func give(_ runtime: PageRuntime?) {
        configure { $0.pageRuntime = runtime }
        for known in lacks.withLock(\.all) {
            guard let record = known.record else { continue }
            let isGiven = isGiven(known.lack, known.title)
            journal.note(of: record) { $0.gives = (known.lack.members, isGiven) }
        }
    }

    private func isGiven(_ lack: Lack, _ title: String) -> Bool {
        guard let runtime = pageRuntime else { return true }
        return runtime.gives(lack) || runtime.shortcuts.contains(title)
    }

    private static func file(ofPageAt path: String) -> String {
        guard let segments = Target.segments(of: path) else { return path }
        let isFolder = segments.isEmpty || path.hasSuffix("/")
        return (isFolder ? segments + ["index.html"] : segments).joined(separator: "/")
    }

    /// Logs the bridges that served scripts use but pages do not get, and keeps them for the pages' consoles.
    package func remember(_ bridges: [SpokenBridge]) {
        for bridge in bridges where !isGiven(Lack(bridge.hint), bridge.hint.name) {
            lacks.withLock { $0.spoken.append(bridge) }
            tell(Lack(bridge.hint), bridge.hint.name, sign(of: bridge), of: bridge.pages)
        }
        for page in pages.all { tellOfSpokenBridges(page) }
    }

    func tellOfSpokenBridges(_ page: Page) {
        for bridge in spokenBridges(ofPageAt: page.path) {
            tell(Lack(bridge.hint), bridge.hint.name, sign(of: bridge), to: page)
        }
    }

    package func spokenBridges(ofPageAt path: String) -> [SpokenBridge] {
        let all = lacks.withLock(\.spoken)
        guard !all.isEmpty else { return [] }
        let file = Self.file(ofPageAt: path)
        return all.filter { $0.pages.contains(file) }
    }

    private func sign(of bridge: SpokenBridge) -> Lack.Sign {
        let isNamed = bridge.pages.contains { replyBook.settings(ofPageAt: "/\($0)").appName != nil }
        guard pageRuntime?.appName == nil, !isNamed, let reader = bridge.readerOfUserAgent else {
            return .script(bridge.file, advice: "")
        }
        let advice = """
            . \(reader == bridge.file ? "It" : reader) reads navigator.userAgent: if it looks there for the app's name, add \
            "userAgent": "{{userAgent}} \(bridge.hint.app)"
            """
        return .script(bridge.file, advice: advice)
    }
}
