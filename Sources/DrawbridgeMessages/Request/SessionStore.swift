import Synchronization

/// Keeps the named sessions of several gateways, of which one at a time has a session and answers from its memory.
package protocol SessionStore: Sendable {
    /// Whether this gateway has the session, and may answer for it.
    func has(_ session: Session) -> Bool

    /// Takes over a session, with all that is kept of it.
    ///
    /// - Throws: a 503 if the store does not answer, or another gateway does not give the session up, in two seconds.
    func load(_ session: Session) async throws(HTTPError)

    /// Answers a request of the tester's API in a session, which is loaded first; the answer to a change follows when the
    /// store has it.
    ///
    /// - Throws: what `answer` throws, or a 503 as `load` does, and where another gateway got the session meanwhile.
    func answer(
        in session: Session, isChange: Bool, _ answer: () async throws -> Response
    ) async throws -> Response

    /// Whether the store does not answer at the moment.
    var isGone: Bool { get }
}

/// The store of a gateway; without one it costs a read of memory.
package final class SharedSessions: Sendable {
    private final class Box: Sendable {
        let store: any SessionStore

        init(_ store: any SessionStore) { self.store = store }
    }

    private let box = AtomicLazyReference<Box>()

    package init() {}

    /// Sets the store, once for all.
    package func share(by store: any SessionStore) { _ = box.storeIfNil(Box(store)) }

    package var now: (any SessionStore)? { box.load()?.store }

    /// The store, if it has to load this session first; the session that nobody named is not shared.
    package func loader(for session: @autoclosure () -> Session) -> (any SessionStore)? {
        guard let store = now, case let session = session(), session != .usual else { return nil }
        return store.has(session) ? nil : store
    }
}
