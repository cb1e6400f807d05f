import Synchronization

extension Page {
    /// What programs and the inspector see of it.
    package var described: JSON {
        let (presence, since, isHidden, missed) = state.withLock {
            ($0.presence, $0.since, $0.isHidden, $0.missed.map { JSON.string($0.text) })
        }
        return [
            "id": .string(id), "state": .string(presence.rawValue), "since": .string(since.timestamp),
            "hidden": .bool(isHidden), "came": .string(came.timestamp), "url": .string(url),
            "title": .string(title), "session": .string(session.name), "missed": .array(missed),
            "bridges": .array(bridges.map(\.rawValue).sorted().map(JSON.string)),
            "userAgent": userAgent.map(JSON.string) ?? .null,
            "remoteAddress": remoteAddress.map(JSON.string) ?? .null,
        ]
    }
}
