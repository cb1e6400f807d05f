package import EventLoop
import Synchronization

/// Sends requests to other servers, many at a time, on one loop: HTTP/1.1 over TCP, TLS and Unix sockets.
///
/// Connections are kept and used again. It belongs to its loop's thread.
package final class HTTPClient: Loop.Guest {
    /// How often transfers are checked for silent servers, in milliseconds.
    private static let round = 500
    private static let bufferSize = 64 << 10

    struct State {
        fileprivate var transfers: [Transfer] = []
        fileprivate var isRoundDue = false
    }

    /// One buffer for all transfers: what is read into it is parsed before anything else is read.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    let pool: ConnectionPool
    let loop: Loop
    let own: LoopBound<State>

    private init(on loop: Loop) {
        self.loop = loop
        pool = ConnectionPool(on: loop)
        own = LoopBound(State(), to: loop)
    }

    deinit {
        // Its loop has ended.
        pool.closeAll()
        buffer.deallocate()
    }

    /// The client of a loop, made when it is first asked for; on the loop's thread.
    package static func of(_ loop: Loop) -> HTTPClient {
        // Only clients are attached to loops, so the type need not be checked.
        if let known = loop.attachment { return unsafeDowncast(known, to: HTTPClient.self) }
        let new = HTTPClient(on: loop)
        loop.attachment = new
        return new
    }

    /// The loop whose thread this is; where there is none, one that all such callers share.
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

    /// Removes a transfer, unless it was never started.
    func remove(_ transfer: Transfer) {
        guard transfer.place >= 0 else { return }
        let last = own.value.transfers.removeLast()
        guard last !== transfer else { return }
        own.value.transfers[transfer.place] = last
        last.place = transfer.place
    }

    func keep(_ connection: ClientConnection) {
        pool.keep(connection)
        arm()
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
