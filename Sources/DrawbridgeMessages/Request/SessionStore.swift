import Synchronization

/// Keeps the named sessions of several gateways, of which one at a time has a session and answers from its memory.
package protocol SessionStore: AnyObject, Sendable {
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

    /// Waits until the store has what ``Admissions`` has revoked, or throws a 503: then the store is told later.
    func waitUntilRevoked() async throws(HTTPError)

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
    /// Read first: each `load` of the box asks for the metadata of its type, which is 700 instructions.
    private let isThere = Atomic(false)

    package init() {}

    /// Sets the store, once for all.
    package func share(by store: any SessionStore) {
        _ = box.storeIfNil(Box(store))
        isThere.store(true, ordering: .releasing)
    }

    package var now: (any SessionStore)? { isThere.load(ordering: .acquiring) ? box.load()?.store : nil }
}
