import HTTPClient
import MicroHTTPD

/// One request to an upstream and its response.
///
/// Backpressure works both ways: unread bytes of the response wait at the upstream, unsent bytes of the request at the
/// client. The engine can begin a response only after the request body, so an early response is held until then, or
/// until the upstream reads no more of that body and the engine drops the rest.
///
/// Methods may be called on any thread unless noted; the state belongs to the loop.
final class UpstreamFetch: Sendable {
    /// The number of bytes that are received of a held response.
    ///
    /// More are received, and counted in the memory for bodies, if the upstream reads no more of the request.
    private static let heldLimit = 64 << 10
    private static let pieceSize = 48 << 10

    struct Beginning: Sendable {
        var head: ResponseHead
        /// The complete body, if it arrived with the head; else nil.
        var body: [UInt8]?
        /// The connection, if the upstream answered 101.
        var tunnel: UpstreamTunnel?
    }

    typealias Tell = (Result<Beginning, any Error>) -> Void

    enum Answer {
        case none
        case awaited(Tell)
        /// The head has arrived, but the request body is not complete yet.
        case held(ResponseHead, Tell)
        /// The response has begun, and its body is not being read at the moment.
        case unread
        /// A task reads the body. `tell` gets the next piece, nil at the end.
        ///
        /// A closure, because an enum with a continuation has no static layout: a small response is 1 % slower.
        case task(_ tell: (Result<[UInt8]?, any Error>) -> Void)
        /// The engine reads the body, and is told the number of bytes at the end.
        case exchange(Exchange, whenFetched: (_ bytes: Int) -> Void)
        /// The response has failed or was cancelled.
        case over
    }

    struct State {
        /// Retained until everything it has received is read.
        var transfer: Transfer?
        var answer = Answer.none
        var upload = Upload.none
        /// The streamed request body; it reserves the memory for a held response.
        var body = Request.Body.empty
        /// The number of bytes of a held response that memory is available for.
        var heldRoom = UpstreamFetch.heldLimit
        var ending: Ending?
        var fetched = 0
        /// True if the next piece of a held response is to be read in the loop's next round.
        var isReadingAhead = false
    }

    enum Ending {
        case whole
        case broken(TransferError)
        case cancelled
    }

    let host: String
    private let guardian: Transfer.Guardian?
    let loop: Loop
    let own: LoopBound<State>

    init(on loop: Loop, host: String, guardian: Transfer.Guardian? = nil) {
        self.host = host
        self.loop = loop
        self.guardian = guardian
        own = LoopBound(State(), to: loop)
    }

    /// The transfer; reading it retains it, so it outlives a call that makes this fetch release it.
    var transfer: Transfer? { own.value.transfer }

    /// Cancels the fetch; a task that waits for the response or for sending gets a `CancellationError`.
    func cancel() {
        loop.perform { [self] in
            if case .cancelled = own.value.ending { return }
            transfer?.cancel()
            own.value.transfer = nil
            own.value.ending = .cancelled
            own.value.upload.stop()
            switch own.value.answer {
            case .none, .over: own.value.answer = .over
            case .awaited(let tell), .held(_, let tell):
                own.value.answer = .over
                tell(.failure(CancellationError()))
            case .unread, .task, .exchange: deliver()
            }
        }
    }

    // MARK: On the loop

    /// Sends the request, and calls `tell` with the head of the response.
    ///
    /// - Parameters:
    ///   - body: the request body, if it is streamed.
    ///   - tell: called once. The error is a `TransferError`, a `CancellationError`, or a 503 if a held response does
    ///     not fit the memory for bodies.
    func start(_ request: TransferRequest, _ body: Request.Body, _ tell: @escaping Tell) {
        guard own.value.ending == nil else { return tell(.failure(CancellationError())) }
        own.value.answer = .awaited(tell)
        let transfer = Transfer(request, on: loop, guardian: guardian, for: self)
        own.value.transfer = transfer
        if case .stream = request.body {
            own.value.upload = .open
            own.value.body = body
            pump(body)
        }
        // Reading the body may have ended the fetch already.
        if own.value.ending == nil { transfer.start() }
    }

    /// Sends the response to the client; its body is forwarded as it arrives.
    ///
    /// - Parameter whenFetched: called at the end with the number of bytes.
    func send(
        _ head: HTTPResponse, length: Int?, to exchange: Exchange,
        whenFetched: @escaping (_ bytes: Int) -> Void
    ) {
        own.value.answer = .exchange(exchange, whenFetched: whenFetched)
        exchange.begin(head, length: length, from: self)
    }

    func begin() {
        guard case .held(let head, let tell) = own.value.answer, canBegin, let transfer = own.value.transfer
        else { return }
        if case .broken(let error) = own.value.ending, transfer.receivedCount == 0 {
            own.value.answer = .over
            return tell(.failure(error))
        }
        own.value.answer = .unread
        var beginning = Beginning(head: head)
        if head.status == .switchingProtocols {
            own.value.transfer = nil
            guard let (transport, first) = transfer.takeConnection() else {
                let problem = "\(host) switched protocols, and closed the connection"
                return tell(.failure(TransferError(.malformed, problem)))
            }
            beginning.tunnel = UpstreamTunnel(transport, first)
        } else if case .whole = own.value.ending {
            beginning.body = transfer.takeReceived()
            own.value.transfer = nil
        }
        tell(.success(beginning))
    }

    /// Whether the response may begin: the request body is complete or no longer wanted.
    private var canBegin: Bool { own.value.ending != nil || !own.value.upload.isOpen }

    /// Passes the next piece of the body, or its end, to the waiting task, if there is one.
    private func deliver() {
        guard case .task(let reader) = own.value.answer else { return }
        // Reading may end the transfer, which calls this again; without a task in the state, only this resumes it.
        own.value.answer = .unread
        let piece = piece()
        if !piece.isEmpty { return reader(.success(piece)) }
        switch own.value.ending {
        case .whole: reader(.success(nil))
        case .broken(let error): reader(.failure(error))
        case .cancelled: reader(.failure(CancellationError()))
        case nil: own.value.answer = .task(reader)
        }
    }

    private func piece() -> [UInt8] {
        guard let transfer = own.value.transfer else { return [] }
        defer { if own.value.heldRoom > Self.heldLimit { letGo() } }
        return [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            count = transfer.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}

// The body of the response, read by a task.
extension UpstreamFetch {
    /// The next piece of the body; nil at the end.
    ///
    /// - Throws: a `TransferError` if the body is incomplete, or a `CancellationError`.
    func chunk() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.perform { [self] in
                    own.value.answer = .task { continuation.resume(with: $0) }
                    deliver()
                }
            }
        } onCancel: {
            cancel()
        }
    }
}

// The body of the response, read by the engine on the loop.
extension UpstreamFetch: BodySource {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // The bytes go from the upstream's socket directly to the engine's buffer.
        let count = transfer?.read(into: buffer) ?? 0
        if own.value.heldRoom > Self.heldLimit { letGo() }
        own.value.fetched += count
        guard count == 0 else { return count }
        return switch own.value.ending {
        case nil: 0
        case .whole: -1
        case .broken, .cancelled: -2
        }
    }

    func isDone() {
        if case .exchange(_, let whenFetched) = own.value.answer {
            own.value.answer = .unread
            whenFetched(own.value.fetched)
        }
        // Later: this is called inside the library, and cancelling may resume other transfers, which call it too.
        loop.performSoon { self.cancel() }
    }
}

extension UpstreamFetch: TransferOwner {
    func receive(_ head: ResponseHead) {
        guard case .awaited(let tell) = own.value.answer else { return }
        own.value.answer = .held(head, tell)
        // In the next round: by then bytes that came with the head are read, which may be the whole body.
        loop.performSoon { self.begin() }
    }

    func bodyIsThere() {
        switch own.value.answer {
        case .exchange(let exchange, _): exchange.bodyIsReady()
        case .task: deliver()
        // The upstream may read no more of the request until its response is read, so that is received in advance. A
        // response that can begin is not, because its reader has its own buffer.
        case .held: if !canBegin { readAhead() }
        case .none, .awaited, .unread, .over: break
        }
    }

    /// Receives more of a held response, one piece per round: a fast upstream would block the loop.
    func readAhead() {
        guard case .held(let head, let tell) = own.value.answer, !own.value.isReadingAhead, let transfer
        else { return }
        if transfer.receivedCount >= own.value.heldRoom {
            // No more memory is needed while the upstream still reads the request; its response is read after that.
            guard transfer.isStuck, transfer.receivedCount < head.contentLength ?? .max else { return }
            let room = min(2 * own.value.heldRoom, head.contentLength ?? .max)
            do throws(HTTPError) {
                try own.value.body.reserve(room)
            } catch {
                own.value.answer = .over
                cancel()
                return tell(.failure(error))
            }
            own.value.heldRoom = room
        }
        guard transfer.readAhead(upTo: own.value.heldRoom) else { return }
        own.value.isReadingAhead = true
        loop.performSoon { [self] in
            own.value.isReadingAhead = false
            bodyIsThere()
        }
    }

    /// Releases the memory reserved for a held response, after all of it was read.
    private func letGo() {
        guard transfer?.receivedCount ?? 0 == 0 else { return }
        // Reserving 0 bytes never fails.
        try? own.value.body.reserve(0)
        own.value.body = .empty
        own.value.heldRoom = Self.heldLimit
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? { own.value.upload.fill(buffer) }

    func sendingStopped() {
        own.value.upload.stop()
        loop.performSoon { self.begin() }
    }

    func ended(_ error: TransferError?) {
        own.value.ending = error.map(Ending.broken) ?? .whole
        own.value.upload.stop()
        switch own.value.answer {
        case .none, .over, .unread: break
        case .awaited(let tell):
            own.value.answer = .over
            tell(.failure(error ?? TransferError(.malformed, "\(host) sent no answer")))
        case .held: loop.performSoon { self.begin() }
        case .task: deliver()
        case .exchange(let exchange, _): exchange.bodyIsReady()
        }
    }
}
