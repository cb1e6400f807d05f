import EventLoop
import TLS

/// One request to a server and its response; for its loop's thread only.
///
/// The owner is told when bytes have arrived, and reads them when it wants to; unread bytes wait in the kernel, and
/// then at the server (backpressure). *Sending* and *receiving* run at the same time, with a state each. The transfer
/// ends when the response is complete and nothing is left to send, or with an error.
package final class Transfer {
    enum Way {
        case none
        case connecting(Connecting)
        case open(ClientConnection, isUsedAgain: Bool)
        case over
    }

    /// What to send after `outgoing`.
    enum Sending {
        case nothing
        case bytes([UInt8])
        case stream(isChunked: Bool)
        /// A streamed body, of which the owner has no more bytes yet.
        case waiting(isChunked: Bool)
        /// Sending was given up before the end of the request.
        case stopped
    }

    enum Receiving {
        case head
        case length(left: Int)
        case chunks(ChunkReader)
        case toEnd
        case over
    }

    struct State {
        var owner: (any TransferOwner)?
        var way = Way.none
        var hasRetried = false
        /// Whether the connection may be used for another request.
        var isReusable = true

        var sending = Sending.nothing
        var outgoing: [UInt8] = []
        var sentCount = 0
        var hasSent = false
        /// Whether bytes of a streamed body were taken from the owner; then the request cannot be repeated.
        var hasFilled = false
        /// The time of the last progress: the server accepted a part of the request or sent a part of the body; parts
        /// of its head are not counted, so the whole head has one timeout.
        var moved = 0

        var receiving = Receiving.head
        var reader: ResponseHeadReader
        /// Whether a 101 has arrived; the connection waits for ``takeConnection()``.
        var hasSwitched = false
        /// The beginning of an incomplete line of the head.
        var line: [UInt8] = []
        var hasHeard = false
        /// Bytes of the body that have been received, but not read by the owner.
        var early: [UInt8] = []
        var earlyTaken = 0
    }

    /// Checks an address before it is connected to: the 4 or 16 bytes of an IP address, none for a Unix socket; throws
    /// ``TransferError/Kind/forbidden`` if it is not allowed.
    package typealias Guardian = @Sendable (_ address: [UInt8], _ port: Int) throws(TransferError) -> Void

    let request: TransferRequest
    let client: HTTPClient
    private let guardian: Guardian?
    /// The index in the client's list of transfers; -1 before the start.
    var place = -1
    let own: LoopBound<State>
    /// The owner; reading it retains it, so it outlives a call that makes this transfer release it.
    var owner: (any TransferOwner)? { own.value.owner }

    /// - Parameters:
    ///   - guardian: called before a connection is opened, and before an idle one is used again.
    ///   - owner: gets the response. Transfer and owner retain each other until the end.
    package init(
        _ request: TransferRequest, on loop: Loop, guardian: Guardian? = nil, for owner: any TransferOwner
    ) {
        self.request = request
        self.guardian = guardian
        client = HTTPClient.of(loop)
        own = LoopBound(State(owner: owner, reader: ResponseHeadReader()), to: loop)
    }

    // MARK: For the owner

    package func start() {
        client.add(self)
        own.value.moved = Loop.now
        do throws(TransferError) {
            guard let known = client.take(for: request) else { return connect() }
            do throws(TransferError) {
                try guardian?(known.address.bytes, known.address.port)
            } catch {
                client.keep(known, for: request.caller)
                throw error
            }
            begin(on: known, isUsedAgain: true)
        } catch {
            end(with: error)
        }
    }

    /// Call this when there is more of a streamed body, or its end.
    package func resumeSending() {
        guard case .waiting(let isChunked) = own.value.sending else { return }
        own.value.sending = .stream(isChunked: isChunked)
        own.value.moved = Loop.now
        goOnSending()
    }

    /// Copies available bytes of the body and returns their number; after ``TransferOwner/ended(_:)``, 0 is the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let waiting = receivedCount
        guard waiting > 0 else { return receive(into: buffer) }
        let count = min(buffer.count, waiting)
        buffer.copyBytes(from: own.value.early[own.value.earlyTaken..<own.value.earlyTaken + count])
        own.value.earlyTaken += count
        // The server's timeout starts anew, because the owner was busy with bytes that had already arrived.
        own.value.moved = Loop.now
        if count == waiting { forgetEarly() }
        return count
    }

    /// Receives up to `limit` bytes of the body in advance, because some servers read no more of a request until their
    /// response is read.
    ///
    /// - Returns: whether bytes were received. If so, call it again in another round of the loop, as there may be more.
    package func readAhead(upTo limit: Int) -> Bool {
        guard receivedCount < limit else { return false }
        let count = receive(
            into: UnsafeMutableRawBufferPointer(rebasing: client.buffer.prefix(limit - receivedCount)))
        guard count > 0 else { return false }
        own.value.early.reserveCapacity(limit)
        own.value.early += UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(client.buffer)[..<count])
        return true
    }

    /// Whether the server reads no more of the request at the moment.
    package var isStuck: Bool {
        guard case .open(let connection, _) = own.value.way else { return false }
        return !own.value.outgoing.isEmpty && !connection.canWrite
    }

    package var receivedCount: Int { own.value.early.count - own.value.earlyTaken }

    package func takeReceived() -> [UInt8] {
        defer { forgetEarly() }
        return own.value.earlyTaken == 0 ? own.value.early : Array(own.value.early[own.value.earlyTaken...])
    }

    /// Takes the connection after a 101, with the bytes that followed its head; nil if the response is not a 101.
    package func takeConnection() -> (transport: Transport, first: [UInt8])? {
        guard case .open(let connection, _) = own.value.way, case .over = own.value.receiving else {
            return nil
        }
        let first = takeReceived()
        own.value.owner = nil
        own.value.way = .over
        client.remove(self)
        return (connection.release(), first)
    }

    /// Cancels the transfer; the owner is not called after that.
    package func cancel() {
        guard own.value.owner != nil else { return }
        own.value.owner = nil
        release(keepsConnection: false)
    }

    private func forgetEarly() {
        own.value.early = []
        own.value.earlyTaken = 0
    }

    // MARK: For the client and the connection

    /// Ends the transfer with a timeout, if the server is being waited for and has made no progress for too long.
    func check(at now: Int) {
        guard case .open(let connection, _) = own.value.way else { return }
        // The client has to send more of the body first, so the server has no timeout.
        if case .waiting = own.value.sending { return }
        // The server is slow if it neither reads nor sends; unread bytes mean that the owner is slow.
        guard isStuck || !connection.canRead, now - own.value.moved > request.silenceLimit else { return }
        let limit = Duration.milliseconds(request.silenceLimit)
        let isUnanswered = if case .head = own.value.receiving { own.value.outgoing.isEmpty } else { false }
        let problem =
            isUnanswered
            ? "did not answer within \(limit)"
            : "made no progress for \(limit); if it needs longer, raise --upstream-timeout"
        end(with: TransferError(.late, "\(request.host) \(problem)"))
    }

    /// Called when the connection is readable or writable.
    func goOn() {
        if case .open(let connection, _) = own.value.way, connection.canWrite { goOnSending() }
        while case .open(let connection, _) = own.value.way, connection.canRead,
            case .head = own.value.receiving
        {
            readHead(from: connection)
        }
        if case .open(let connection, _) = own.value.way, connection.canRead {
            owner?.bodyIsThere()
        }
    }

    private func connect() {
        let connecting = Connecting(for: request, guardian, on: client)
        own.value.way = .connecting(connecting)
        connecting.start { [self] result in
            switch result {
            case .success(let connection): begin(on: connection, isUsedAgain: false)
            case .failure(let error): end(with: error)
            }
        }
    }

    private func begin(on connection: ClientConnection, isUsedAgain: Bool) {
        connection.serve(self)
        own.value.way = .open(connection, isUsedAgain: isUsedAgain)
        own.value.isReusable = true
        own.value.hasSent = false
        let (head, logsIn) = request.head
        own.value.outgoing = head
        if logsIn { connection.isLoggedIn = true }
        own.value.sentCount = 0
        own.value.moved = Loop.now
        switch request.body {
        case .none: own.value.sending = .nothing
        case .bytes:
            let rest = request.remainingBody
            own.value.sending = rest.isEmpty ? .nothing : .bytes(rest)
        case .stream(let length): own.value.sending = .stream(isChunked: length == nil)
        }
        goOnSending()
    }

    /// Called when the connection has failed: repeats the request on another connection if that is safe, else ends.
    func broke(_ why: String) {
        guard case .open(let connection, let isUsedAgain) = own.value.way else { return }
        // The server may have closed an idle connection before this request arrived (RFC 9112, section 9.3.1).
        if isUsedAgain, !own.value.hasHeard, !own.value.hasRetried, !own.value.hasFilled,
            request.isIdempotent || !own.value.hasSent
        {
            connection.close()
            own.value.hasRetried = true
            return connect()
        }
        let problem =
            isUsedAgain && !own.value.hasHeard
            ? "\(request.host) closed the connection before it answered \(request.method)"
            : "the response of \(request.host) was cut off: \(why)"
        end(with: TransferError(.malformed, problem))
    }

    func end(with error: TransferError?) {
        guard let owner = own.value.owner else { return }
        own.value.owner = nil
        release(keepsConnection: error == nil && own.value.isReusable)
        owner.ended(error)
    }

    func release(keepsConnection: Bool) {
        client.remove(self)
        let way = own.value.way
        own.value.way = .over
        switch way {
        case .none, .over: break
        case .connecting(let connecting): connecting.cancel()
        case .open(let connection, _) where keepsConnection: client.keep(connection, for: request.caller)
        case .open(let connection, _): connection.close()
        }
    }

    /// Ends the transfer if the response is complete and nothing is left to send.
    func endIfOver() {
        guard case .over = own.value.receiving, own.value.outgoing.isEmpty else { return }
        switch own.value.sending {
        case .nothing, .stopped: break
        case .bytes, .stream, .waiting: return
        }
        // After a 101 the connection waits for ``takeConnection()``.
        if own.value.hasSwitched { return }
        end(with: nil)
    }
}

/// Gets the response of a ``Transfer``; every method is called on the loop's thread.
package protocol TransferOwner: AnyObject {
    /// The head has arrived. Read the body with ``Transfer/read(into:)``.
    func receive(_ head: ResponseHead)
    func bodyIsThere()
    /// Copies a part of a streamed request body and returns its number of bytes: 0 at the end, nil if there are none
    /// yet; call ``Transfer/resumeSending()`` then.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// No more of the body is sent: the server has closed its side, or has answered early with an error.
    func sendingStopped()
    /// The last call: the transfer has ended. Bytes that were received can still be read.
    func ended(_ error: TransferError?)
}
