import Synchronization

extension Request {
    /// The page id in the request's header, which is not verified.
    var claimedPage: String? { headers.value(.pageID).flatMap { PageSign.isID($0) ? $0 : nil } }

    /// The page that sent this, for records; also one that has not connected, of which only this request is known.
    var concernedPage: JournalRecord.Concerned? {
        guard !isAnonymous || channelCall != nil else { return nil }
        if let page { return page.concerned }
        if let path = saidPath {
            return claimedPage.map { .init(id: $0, path: path, title: "", session: session) }
        }
        guard let referrer else { return nil }
        // The newest page at that address, as far as native knows any.
        let known = host?.pages.all.first {
            $0.session == session && $0.remoteAddress == remoteAddress
                && $0.url.prefix { $0 != "#" } == referrer.url
        }
        return known?.concerned ?? .init(id: "", path: referrer.path, title: "", session: session)
    }
}

// Records what a page does other than calling native.
extension Page {
    /// The most faults that are recorded for a page; its script does not report more.
    private static let mostFaults = 100

    func note(fault kind: String, _ detail: JSON.Object) {
        let isOne = state.withLock { state in
            state.faults += 1
            return state.faults <= Self.mostFaults
        }
        guard isOne else { return }
        note(.page, kind, JSON.object(detail).bytes)
        gateway.hear(ofFailure: detail["message"]?.stringValue ?? "", from: self)
    }

    var missesHandler: Bool { state.withLock { $0.missed.contains(where: \.isMessageHandler) } }

    /// Whether its console was not told of this yet; notes it as told.
    func isNews(_ lack: Lack) -> Bool { state.withLock { $0.told.insert(lack).inserted } }

    package var described: JSON {
        let (presence, since, isHidden, missed) = state.withLock {
            ($0.presence, $0.since, $0.isHidden, $0.missed.map { JSON.string($0.text) })
        }
        return [
            "id": .string(id), "state": .string(presence.rawValue), "since": .string(since.timestamp),
            "hidden": .bool(isHidden), "frame": .bool(isFramed), "opened": .bool(isOpened),
            "came": .string(came.timestamp), "url": .string(gateway.secrets.removed(fromText: url)),
            "title": .string(title), "session": .string(session.name), "missed": .array(missed),
            "bridges": .array(bridges.map(\.rawValue).sorted().map(JSON.string)),
            "userAgent": userAgent.map(JSON.string) ?? .null,
            "remoteAddress": remoteAddress.map(JSON.string) ?? .null,
        ]
    }

    /// The page's rank when native chooses a page to call (`Gateway.meant(_:by:in:)`): a higher one is preferred.
    package var rank: Int {
        let (presence, isHidden) = state.withLock { ($0.presence, $0.isHidden) }
        let life = [.leaving, .frozen, .away, .here].firstIndex(of: presence) ?? 0
        return life << 3 | (isHidden ? 0 : 4) | (isFramed ? 0 : 2) | (isOpened ? 0 : 1)
    }

    func note(isHidden: Bool) {
        let isNews = state.withLock { state in
            guard state.isHidden != isHidden else { return false }
            state.isHidden = isHidden
            state.changes()
            return true
        }
        if isNews { note(.page, isHidden ? "hidden" : "shown") }
    }

    var concerned: JournalRecord.Concerned {
        state.withLock { .init(id: id, path: $0.address.path, title: $0.title, session: session) }
    }

    /// Records something about the page, as ``Journal/note(_:of:_:at:_:saying:_:)`` does.
    @discardableResult
    func note(
        _ kind: JournalRecord.Kind, _ name: String, at bridge: String = "",
        _ input: @autoclosure () -> [UInt8] = [], saying sentence: String? = nil,
        _ state: JournalRecord.State? = nil
    ) -> Int? {
        let journal = gateway.journal
        guard journal.isOn else { return nil }
        return journal.note(kind, of: concerned, name, at: bridge, input(), saying: sentence, state)
    }
}
