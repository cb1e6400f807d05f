package import EventLoop
import Glibc
import HTTPTypes
package import TLS

/// One request to another server and its answer; it belongs to its loop's thread.
///
/// Its owner is told when there are bytes to read, and reads when it likes: unread bytes wait in the system's buffer,
/// and in the end at the server. *Sending* and *receiving* go on at the same time, each with its own states. A
/// transfer is over when the answer is complete and nothing more is sent, or when something breaks.
package final class Transfer {
    enum Way {
        case none
        case connecting(Connecting)
        case open(ClientConnection, isUsedAgain: Bool)
        case over
    }

    /// What is to be sent after `outgoing`.
    enum Sending {
        case nothing
        case bytes([UInt8])
        case stream(isChunked: Bool)
        /// The owner has no more bytes yet.
        case waiting(isChunked: Bool)
        /// Not all was sent, and the rest never will be.
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
        /// Whether another transfer may use the connection afterwards.
        var isReusable = true

        var sending = Sending.nothing
        var outgoing: [UInt8] = []
        var sentCount = 0
        var hasSent = false
        /// Whether bytes of a streamed body were taken from the owner, which has them only once.
        var hasFilled = false
        /// When the server last took a part of the request or sent one of the body, or when waiting for it began.
        ///
        /// Parts of its head do not count: the head has one limit, however slowly it comes.
        var moved = 0

        var receiving = Receiving.head
        var reader: ResponseHeadReader
        /// Whether a 101 has come; the connection then waits to be taken.
        var hasSwitched = false
        /// The beginning of a line of the head, whose end is still to come.
        var line: [UInt8] = []
        var hasHeard = false
        /// Bytes of the body that were received before they are read.
        var early: [UInt8] = []
        var earlyTaken = 0
    }

    /// Throws a ``TransferError/Kind/forbidden`` for an address that is not allowed: the 4 or 16 bytes of an IP
    /// address, none for a Unix socket.
    package typealias Guardian = @Sendable (_ address: [UInt8], _ port: Int) throws(TransferError) -> Void

    let request: TransferRequest
    let client: HTTPClient
    private let guardian: Guardian?
    /// Its index among the client's transfers; -1 before the start.
    var place = -1
    let own: LoopBound<State>
    /// The owner; whoever reads it holds it, also while a call on it makes this transfer release it.
    var owner: (any TransferOwner)? { own.value.owner }

    /// Prepares a request.
    ///
    /// - Parameters:
    ///   - guardian: called before a connection is made, and before one is used again.
    ///   - owner: gets the answer; transfer and owner hold each other until the end.
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
            guard let known = client.pool.take(to: request.origin) else { return connect() }
            do throws(TransferError) {
                try guardian?(known.address.bytes, known.address.port)
            } catch {
                client.keep(known)
                throw error
            }
            begin(on: known, isUsedAgain: true)
        } catch {
            end(with: error)
        }
    }

    /// Called when there is more of a streamed body, or its end.
    package func resumeSending() {
        guard case .waiting(let isChunked) = own.value.sending else { return }
        own.value.sending = .stream(isChunked: isChunked)
        own.value.moved = Loop.now
        goOnSending()
    }

    /// Copies available bytes of the answer's body, and returns how many; 0 is the end if
    /// ``TransferOwner/ended(_:)`` was called.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let waiting = receivedCount
        guard waiting > 0 else { return receive(into: buffer) }
        let count = min(buffer.count, waiting)
        buffer.copyBytes(from: own.value.early[own.value.earlyTaken..<own.value.earlyTaken + count])
        own.value.earlyTaken += count
        // While the owner takes what has come already, nobody waits for the server, so its time begins anew.
        own.value.moved = Loop.now
        if count == waiting { forgetEarly() }
        return count
    }

    /// Receives more of the body before it is read, up to so many bytes of it: the server may read no more of the
    /// request until its answer is read.
    ///
    /// - Returns: whether bytes were received. There may be more then, for another turn of the loop, since a fast
    ///   server always has more.
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

    /// Whether the server takes no more of the request for now.
    package var isStuck: Bool {
        guard case .open(let connection, _) = own.value.way else { return false }
        return !own.value.outgoing.isEmpty && !connection.canWrite
    }

    package var receivedCount: Int { own.value.early.count - own.value.earlyTaken }

    package func takeReceived() -> [UInt8] {
        defer { forgetEarly() }
        return own.value.earlyTaken == 0 ? own.value.early : Array(own.value.early[own.value.earlyTaken...])
    }

    /// Takes the connection after a 101, with the bytes behind its head; nil where there is none.
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

    /// Cancels the transfer; the owner is not called any more.
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

    /// Ends the transfer where the server is waited for, and has been silent for too long.
    func check(at now: Int) {
        guard case .open(let connection, _) = own.value.way else { return }
        // The caller has to bring more of the body, so the server is not waited for.
        if case .waiting = own.value.sending { return }
        // Where there is something to be read, its reader is slow. The server is slow where it takes no more of the
        // request, or where there is nothing to be read.
        guard isStuck || !connection.canRead, now - own.value.moved > request.silenceLimit else { return }
        let limit = Duration.milliseconds(request.silenceLimit)
        let isUnanswered = if case .head = own.value.receiving { own.value.outgoing.isEmpty } else { false }
        let problem =
            isUnanswered
            ? "did not answer within \(limit)"
            : "stood still for \(limit); where it needs longer, raise --upstream-timeout"
        end(with: TransferError(.late, "\(request.host) \(problem)"))
    }

    /// Called when the connection can be read or written.
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
        own.value.outgoing = request.head
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

    /// Called when the connection broke: repeats the request on another one where that is safe, else ends the transfer.
    func broke(_ why: String) {
        guard case .open(let connection, let isUsedAgain) = own.value.way else { return }
        // The server may have closed a kept connection before this request reached it (RFC 9112, section 9.3.1).
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
            : "the answer of \(request.host) broke off: \(why)"
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
        case .open(let connection, _): keepsConnection ? client.keep(connection) : connection.close()
        }
    }

    /// Ends the transfer where the answer is complete, and nothing more is sent.
    func endIfOver() {
        guard case .over = own.value.receiving, own.value.outgoing.isEmpty else { return }
        switch own.value.sending {
        case .nothing, .stopped: break
        case .bytes, .stream, .waiting: return
        }
        // After a 101 the connection waits to be taken.
        if own.value.hasSwitched { return }
        end(with: nil)
    }
}

/// Gets the answer of a ``Transfer``; every method is called on the loop's thread.
package protocol TransferOwner: AnyObject {
    /// The head of the answer has come; the body is read by ``Transfer/read(into:)``.
    func receive(_ head: ResponseHead)
    func bodyIsThere()
    /// Copies a part of a streamed body, and returns how many bytes: 0 at its end, nil for none until
    /// ``Transfer/resumeSending()``.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// No more of the body is sent, since the server takes no more, or has answered early and without success.
    func sendingStopped()
    /// The transfer is over, and nothing is called after this; received bytes can still be read.
    func ended(_ error: TransferError?)
}
