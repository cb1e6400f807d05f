import EventLoop
import Synchronization

/// An HTTP/1.1 client over TCP, TLS and Unix sockets, for many requests at a time on one loop.
///
/// Connections are kept for further requests. It is for its loop's thread only.
package final class HTTPClient: Loop.Guest {
    /// The interval in milliseconds at which timeouts are checked.
    private static let round = 500
    private static let bufferSize = 64 << 10

    struct State {
        fileprivate var transfers: [Transfer] = []
        fileprivate var isRoundDue = false
    }

    /// One read buffer for all transfers: its bytes are parsed before the next read.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    let pool: ConnectionPool
    let loop: Loop
    let own: LoopBound<State>

    private init(on loop: Loop) {
        self.loop = loop
        pool = ConnectionPool(on: loop)
        own = LoopBound(State(), to: loop)
    }

    deinit { buffer.deallocate() }

    /// The client of a loop, made on the first call; for the loop's thread only.
    package static func of(_ loop: Loop) -> HTTPClient {
        // A loop's attachment is always an HTTPClient, so the type is not checked.
        if let known = loop.attachment { return unsafeDowncast(known, to: HTTPClient.self) }
        let new = HTTPClient(on: loop)
        loop.attachment = new
        return new
    }

    /// The loop of the current thread; on any other thread a shared one without a server.
    package static func loop() throws -> Loop {
        if let current = Loop.current { return current }
        return try shared.withLock { shared in
            if let shared { return shared }
            let new = try Loop.standalone()
            shared = new
            return new
        }
    }

    private static let shared = Mutex<Loop?>(nil)

    // MARK: For transfers

    func add(_ transfer: Transfer) {
        transfer.place = own.value.transfers.count
        own.value.transfers.append(transfer)
        arm()
    }

    /// Removes a transfer; does nothing if it was never started.
    func remove(_ transfer: Transfer) {
        guard transfer.place >= 0 else { return }
        let last = own.value.transfers.removeLast()
        guard last !== transfer else { return }
        own.value.transfers[transfer.place] = last
        last.place = transfer.place
    }

    /// An idle connection for a request: one that its caller has logged in, or one of all callers; nil if there is none.
    func take(for request: TransferRequest) -> ClientConnection? {
        if let own = ownPool(of: request.caller)?.take(to: request.origin) { return own }
        let isRepeatable = if case .none = request.body { request.isIdempotent } else { false }
        return pool.take(to: request.origin, isRepeatable: isRepeatable)
    }

    /// Keeps a connection for other requests; one that is logged in, for those of its caller, until that leaves.
    func keep(_ connection: ClientConnection, for caller: (any Loop.Caller)?) {
        guard connection.isLoggedIn else {
            pool.keep(connection)
            return arm()
        }
        let own = ownPool(of: caller) ?? ConnectionPool(on: loop)
        own.keep(connection)
        caller?.belongings = own
    }

    private func ownPool(of caller: (any Loop.Caller)?) -> ConnectionPool? {
        // Nothing else belongs to a caller, so the type is not checked.
        caller?.belongings.map { unsafeDowncast($0, to: ConnectionPool.self) }
    }

    // MARK: For the loop

    package func ready(_ socket: Int32, _ readiness: Readiness) {}

    package func timeIsUp() {
        own.value.isRoundDue = false
        let now = Loop.now
        for transfer in own.value.transfers { transfer.check(at: now) }
        pool.closeOld(at: now)
        if !own.value.transfers.isEmpty || !pool.isEmpty { arm() }
    }

    private func arm() {
        guard !own.value.isRoundDue else { return }
        own.value.isRoundDue = true
        loop.setTimer(for: self, in: Self.round)
    }
}
