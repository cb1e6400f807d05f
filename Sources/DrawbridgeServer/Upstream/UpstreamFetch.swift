import Drawbridge
import EventLoop
import HTTPClient
import HTTPTypes
import MicroHTTPD

/// One request to a server behind the gateway, and the fetching of its answer.
///
/// Neither side is read faster than the other takes it: bytes of the answer wait at the server, and bytes of the
/// request at its caller. The answer is held until the body of its request has come, since the engine can begin none
/// before; or until the server wants no more of that body, and then the engine drops the rest of it.
///
/// Its methods may be called on any thread unless they say otherwise; its state belongs to its loop.
final class UpstreamFetch: Sendable {
    /// How many bytes are received of an answer that cannot begin yet.
    ///
    /// Where the server takes no more of the request until its answer is read, more bytes are received: they count
    /// among the memory for all bodies.
    private static let heldLimit = 64 << 10
    /// How many bytes of a body a task gets at a time, at most.
    private static let pieceSize = 48 << 10

    struct Beginning: Sendable {
        var head: ResponseHead
        /// The whole body where it is there already; nil where there is more to come.
        var body: [UInt8]?
        /// The connection, where the server has answered 101.
        var tunnel: UpstreamTunnel?
    }

    typealias Tell = (Result<Beginning, any Error>) -> Void

    enum Answer {
        case none
        case awaited(Tell)
        /// The head is there, and the body of the request is still on its way.
        case held(ResponseHead, Tell)
        /// It has begun, and nobody reads its body for now.
        case unread
        /// A task reads its body, and gets the next piece, nil after the last.
        ///
        /// A closure and not a continuation: the layout of a continuation is known at run time alone, and so is that of
        /// an enum that holds one, which costs a hundredth of a small answer.
        case task(_ tell: (Result<[UInt8]?, any Error>) -> Void)
        /// The engine fetches its body, and tells the number of bytes in the end.
        case exchange(Exchange, whenFetched: (_ bytes: Int) -> Void)
        /// It failed, or is no longer wanted.
        case over
    }

    struct State {
        /// Kept until all that it has received is read.
        var transfer: Transfer?
        var answer = Answer.none
        var upload = Upload.none
        /// The streamed body of the request, which reserves the memory for a held answer until that is read.
        var body = Request.Body.empty
        /// The number of bytes for which there is room of an answer that cannot begin yet.
        var heldRoom = UpstreamFetch.heldLimit
        /// How the transfer ended; nil before.
        var ending: Ending?
        var fetched = 0
        /// True while the next piece of a held answer is to be read in the loop's next turn.
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

    /// The transfer; whoever reads it holds it, also while a call on it makes this fetch release it.
    var transfer: Transfer? { own.value.transfer }

    /// Cancels the fetch; who waits for its answer, or for room, gets a `CancellationError`.
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

    /// Sends the request, and tells the head of the answer, with its body if that came along.
    ///
    /// - Parameters:
    ///   - body: read where the request streams it.
    ///   - tell: called once; the error is a `TransferError`, a `CancellationError`, or an `HTTPError` with a 503 where
    ///     an answer that cannot begin finds no room.
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

    /// Sends the head of an answer with this body, which goes to the caller as it comes.
    ///
    /// - Parameter whenFetched: told the number of its bytes, in the end.
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
                let problem = "\(host) agreed to another protocol, and closed the connection"
                return tell(.failure(TransferError(.malformed, problem)))
            }
            beginning.tunnel = UpstreamTunnel(transport, first)
        } else if case .whole = own.value.ending {
            beginning.body = transfer.takeReceived()
            own.value.transfer = nil
        }
        tell(.success(beginning))
    }

    /// Whether the body of the request has come, or is no longer wanted.
    private var canBegin: Bool { own.value.ending != nil || !own.value.upload.isOpen }

    /// Gives the waiting task the next piece of the body, or its end, if there is one.
    private func deliver() {
        guard case .task(let reader) = own.value.answer else { return }
        // Reading may end the transfer, whose end calls this method again. It finds no task then, so that the task is
        // called only once, below.
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

// The body of the answer, read by a task.
extension UpstreamFetch {
    /// The next part of the body, nil after the last.
    ///
    /// - Throws: a `TransferError` where it broke off, or a `CancellationError`.
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

// The body of the answer, fetched by the engine on the loop.
extension UpstreamFetch: BodySource {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // The bytes go straight from the server to the engine's buffer.
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
        // The engine's library calls this, and cancelling may wake other transfers, which would call the library in
        // turn. So it waits until the library has returned.
        loop.performSoon { self.cancel() }
    }
}

extension UpstreamFetch: TransferOwner {
    func receive(_ head: ResponseHead) {
        guard case .awaited(let tell) = own.value.answer else { return }
        own.value.answer = .held(head, tell)
        // In the loop's next turn: bytes that came with the head are read by then, which may be the whole body.
        loop.performSoon { self.begin() }
    }

    func bodyIsThere() {
        switch own.value.answer {
        case .exchange(let exchange, _): exchange.bodyIsReady()
        case .task: deliver()
        // The server may read no more of the request until its answer is read, so that is received ahead. An answer
        // that can begin now is not: its reader fetches it straight into its own buffer.
        case .held: if !canBegin { readAhead() }
        case .none, .awaited, .unread, .over: break
        }
    }

    /// Receives more of a held answer, a piece in each turn of the loop, as a fast server could block it.
    func readAhead() {
        guard case .held(let head, let tell) = own.value.answer, !own.value.isReadingAhead, let transfer
        else { return }
        if transfer.receivedCount >= own.value.heldRoom {
            // A server that still takes the request needs no more room: its answer is read on when the request is sent.
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

    /// Releases the memory that was reserved for a held answer, once all of that is read.
    private func letGo() {
        guard transfer?.receivedCount ?? 0 == 0 else { return }
        // There is always room for 0 bytes.
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
