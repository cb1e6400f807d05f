import Dispatch
public import Drawbridge
import Synchronization

/// Keeps the named sessions of several gateways in Redis or Valkey, so that they outlive each of the gateways.
///
/// ```swift
/// let store = try SharedStore(for: gateway, at: "unix:/run/redis/redis.sock")
/// try await gateway.run()
/// await store.end()
/// ```
///
/// A balancer sends each session to one gateway, which answers from its memory. What a test sets is in the store before it
/// is acknowledged; records of calls follow behind. A gateway that gets a request of a session that it does not have takes
/// it over: from one that lives, when that has written all of it, and from one that was killed, after a second and a half.
public final class SharedStore: Sendable {
    struct State {
        var held: [Session: HeldSession] = [:]
        /// The sessions for which requests wait.
        var wanted: Set<Session> = []
        /// Sessions that were refused, or given up for others, and when the store is asked for them again.
        var notBefore: [Session: ContinuousClock.Instant] = [:]
        /// Sessions of which records are in no store, and the last such number: they are loaded, and the store is told.
        var missing: [Session: Int] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
        var ticks = 0
        var isGone = false
        var isEnding = false
        var isOver = false
        var isRung = false
    }

    private static let mostBytes = 16 << 20

    let address: StoreAddress
    let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    /// Shares the named sessions of a gateway from now on; call this before it listens.
    ///
    /// A store that does not answer is tried again until it does.
    ///
    /// - Parameters:
    ///   - gateway: keeps a journal, if records are to be shared too.
    ///   - url: `unix:/PATH`, or `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`.
    /// - Throws: an error that says how to write the URL.
    public convenience init(for gateway: Gateway, at url: String) throws {
        guard let address = StoreAddress(url) else {
            throw HTTPError(.badRequest, "the address of a shared store: \(StoreAddress.form)")
        }
        self.init(for: gateway, at: address)
    }

    package init(for gateway: Gateway, at address: StoreAddress) {
        self.address = address
        gateway.replyBook.listen { [weak self] session, isDropped in
            self?.note { $0.held[session]?.change(isDropped: isDropped) != nil }
        }
        gateway.journal.keep { [weak self] kept in self?.note { $0.keep(kept, atMost: Self.mostBytes) } }
        gateway.shared.share(by: self)
        // The gateway keeps the store alive, and the thread neither of them: without a gateway it ends.
        OwnThread.perform { [weak self, weak gateway, bell] in
            guard var writer = StoreWriter(self, gateway) else { return }
            repeat {
                _ = bell.wait(timeout: .now() + .milliseconds(20))
            } while self?.work(by: &writer, for: gateway) == true
        }
    }

    /// Lets the writer do what is to be done; false if that was the last time.
    private func work(by writer: inout StoreWriter, for gateway: Gateway?) -> Bool {
        state.withLock { $0.isRung = false }
        if let gateway { withExtendedLifetime(gateway) { writer.work() } }
        let (waiters, isOver) = state.withLock { state in
            defer { state.waiters = [] }
            if gateway == nil { state.isOver = true }
            return (state.waiters, state.isOver)
        }
        for waiter in waiters { waiter.resume() }
        return !isOver
    }

    /// Writes what waits to be written, and gives up all sessions, so that other gateways take them at once.
    ///
    /// Call it when the gateway has stopped. It returns within ten seconds, and in two if the store does not answer.
    public func end() async {
        state.withLock { state in
            state.isEnding = true
            for session in state.held.keys { state.held[session]?.leave() }
        }
        try? await wait(.seconds(10)) { $0.held.isEmpty || $0.isGone }
        state.withLock { $0.isOver = true }
    }

    /// Notes a change, on any thread; the book or the journal is locked.
    private func note(_ change: (inout State) -> Bool) {
        let isNews = state.withLock { state in
            guard change(&state), !state.isRung else { return false }
            state.isRung = true
            return true
        }
        if isNews { bell.signal() }
    }

    /// Looks again each time that the writer has worked, until something is so.
    private func wait(
        _ patience: Duration = .seconds(2), until isSo: (inout State) throws(HTTPError) -> Bool
    ) async throws(HTTPError) {
        let end = ContinuousClock.now + patience
        var isFirst = true
        while try !state.withLock({ (state) throws(HTTPError) in try isSo(&state) }) {
            guard .now < end, !state.withLock({ $0.isOver }) else {
                throw HTTPError(
                    .serviceUnavailable, "the shared store was not ready in two seconds; try again",
                    headers: [.retryAfter: "1"])
            }
            await withCheckedContinuation { waiter in
                note { state in
                    guard !state.isOver else {
                        waiter.resume()
                        return false
                    }
                    state.waiters.append(waiter)
                    return isFirst
                }
            }
            isFirst = false
        }
    }

    private var gone: HTTPError {
        HTTPError(
            .serviceUnavailable,
            "the shared store at \(address) does not answer; sessions of this gateway keep their mocks; try this again later"
        )
    }

    static func moved(_ session: Session) -> HTTPError {
        HTTPError(
            .serviceUnavailable,
            """
            session \(session.name) is at another gateway now; let the balancer send each session to one of them, as the \
            article "A gateway for many" says
            """, headers: [.retryAfter: "1"])
    }
}

extension SharedStore: SessionStore {
    package var isGone: Bool { state.withLock { $0.isGone } }

    package func has(_ session: Session) -> Bool { state.withLock { $0.held[session]?.isHere == true } }

    package func load(_ session: Session) async throws(HTTPError) { _ = try await take(session, asking: 0) }

    package func waitUntilRevoked() async throws(HTTPError) {
        // The tick under way may have begun before.
        let ticks = state.withLock { $0.ticks } + 1
        try await wait { (state) throws(HTTPError) in
            guard !state.isGone else {
                throw HTTPError(
                    .serviceUnavailable,
                    "revoked here alone: the shared store does not answer, and is told when it does")
            }
            return state.ticks > ticks
        }
    }

    package func answer(
        in session: Session, isChange: Bool, _ answer: () async throws -> Response
    ) async throws -> Response {
        let owner = try await take(session, asking: 1)
        defer {
            note { state in
                if state.held[session]?.owner == owner { state.held[session]?.asking -= 1 }
                return state.held[session]?.isHere == false
            }
        }
        let response: Result<Response, any Error>
        do { response = .success(try await answer()) } catch { response = .failure(error) }
        let changes = isChange ? state.withLock { $0.held[session]?.changes } ?? 0 : 0
        try await wait { (state) throws(HTTPError) in
            guard let held = state.held[session], held.owner == owner else { throw Self.moved(session) }
            if held.saved < changes, state.isGone { throw gone }
            return held.saved >= changes
        }
        return try response.get()
    }

    /// Loads a session if it is not here, and counts the requests of the tester's API.
    private func take(_ session: Session, asking count: Int) async throws(HTTPError) -> String {
        var owner = ""
        try await wait { (state) throws(HTTPError) in
            if let held = state.held[session], held.isHere {
                state.held[session]?.asking += count
                owner = held.owner
                return true
            }
            guard !state.isGone, !state.isEnding else { throw gone }
            state.wanted.insert(session)
            return false
        }
        return owner
    }
}

extension SharedStore.State {
    /// Notes a change of the journal; false if it is about no session that is here.
    fileprivate mutating func keep(_ kept: Journal.Kept, atMost most: Int) -> Bool {
        switch kept {
        case .record(let record, let waiting):
            guard record.kind != .request, record.session != .usual else { return false }
            guard held[record.session] != nil else {
                // It was here when its call came, and was given up before that began.
                if record.kind == .call, waiting > 0 { miss(record.session, record.number) }
                return false
            }
            held[record.session]?.underWay += waiting
            guard record.state != .waiting else { return false }
            held[record.session]?.add(record)
            if isGone, held.values.reduce(0, { $0 + $1.bytes }) > most { held[record.session]?.dropRecords() }
        case .forgotten(let session, let number):
            for session in session.map({ [$0] }) ?? Array(held.keys) {
                held[session]?.forget(before: number)
            }
        }
        return true
    }

    /// Notes that records of a session up to this number are in no store.
    mutating func miss(_ session: Session, _ number: Int) {
        if missing.count >= 10 * Session.most { missing = [:] }
        missing[session] = max(number, missing[session] ?? 0)
    }
}
