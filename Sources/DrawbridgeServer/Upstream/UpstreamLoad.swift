import Curl
import Drawbridge
import EventLoop
import HTTPTypes
import MicroHTTPD

/// A request to a server behind the gateway, and its answer.
///
/// What is not read yet is held back where it comes from, and so is what the server does not take. An answer begins when
/// the body of its request has come: the engine can begin none before, and drops what is left of the body when told to.
///
/// All of it is touched on its loop's thread only, whichever thread its methods are called on: that makes it Sendable.
final class UpstreamLoad: TransferOwner, @unchecked Sendable {
    /// More bytes than this that libcurl gives wait for the reader before the server has to wait.
    private static let highWater = 40 << 10
    /// What is there at most then, libcurl having pieces of 16 KB; and what is taken at once where nobody gives it.
    private static let roomAtOnce = 48 << 10
    /// The same while the answer cannot begin yet.
    private static let heldHighWater = 1 << 20

    /// An answer's head, and the body if it is there already.
    struct Beginning: Sendable {
        var head: ResponseHead
        /// Nil where there is more to come.
        var body: [UInt8]?
    }

    /// Throws for an address, of 4 or 16 bytes, that may not be asked at that port.
    typealias Guardian = @Sendable (_ address: [UInt8], _ port: Int) throws(TransferError) -> Void

    private let loop: Loop
    /// What the server is called in errors.
    private let host: String
    private let guardian: Guardian?
    @exclusivity(unchecked) private var transfer: (any UpstreamTransfer)?
    @exclusivity(unchecked) private var reader = ResponseHeadReader()
    @exclusivity(unchecked) private var head: ResponseHead?
    @exclusivity(unchecked) private var received: [UInt8] = []
    /// How many of them have been taken.
    @exclusivity(unchecked) private var taken = 0
    @exclusivity(unchecked) private var receivedCount = 0
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var error: TransferError?
    @exclusivity(unchecked) private var isCancelled = false
    @exclusivity(unchecked) private var beginning: ((Result<Beginning, any Error>) -> Void)?
    @exclusivity(unchecked) private var next: CheckedContinuation<[UInt8]?, any Error>?
    /// Who fetches the body, and what is told when all of it was, or no more is wanted.
    @exclusivity(unchecked) private var exchange: Exchange?
    @exclusivity(unchecked) private var whenFetched: ((_ bytes: Int) -> Void)?
    @exclusivity(unchecked) private var fetched = 0

    @exclusivity(unchecked) private var sending: [UInt8] = []
    @exclusivity(unchecked) private var hasSentAll = false
    @exclusivity(unchecked) private var room: CheckedContinuation<Void, any Error>?

    init(on loop: Loop, host: String, guardian: Guardian? = nil) {
        self.loop = loop
        self.host = host
        self.guardian = guardian
    }

    // MARK: From any thread

    /// Sends the request, and tells the head of the answer, with its body if that came along; on the loop.
    ///
    /// - Parameters:
    ///   - body: read where the request streams it.
    ///   - tell: called once; the error is a `TransferError`, or a `CancellationError`.
    func start(
        _ request: TransferRequest, _ body: Request.Body,
        _ tell: @escaping (Result<Beginning, any Error>) -> Void
    ) {
        guard !isCancelled else { return tell(.failure(CancellationError())) }
        if case .stream = request.body { pump(body) } else { hasSentAll = true }
        beginning = tell
        let own = LoopClient.of(loop)
        let transfer: any UpstreamTransfer
        if request.origin.isSecure || guardian != nil {
            reader = ResponseHeadReader(known: own.plain.knownLines)
            transfer = Transfer(request, on: own.client, isGuarded: guardian != nil, for: self)
        } else {
            transfer = PlainTransfer(request, on: own.plain, for: self)
        }
        self.transfer = transfer
        transfer.start()
    }

    /// The next part of the body, nil after the last.
    ///
    /// - Throws: a `TransferError` where it broke off, or a `CancellationError`.
    func chunk() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.perform { [self] in
                    next = continuation
                    deliver()
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Sends the head of an answer with this body, which goes to the caller as it comes; on the loop.
    ///
    /// - Parameter whenFetched: told the number of its bytes, in the end.
    func send(
        _ head: HTTPResponse, length: Int?, to exchange: Exchange,
        whenFetched: @escaping (_ bytes: Int) -> Void
    ) {
        self.exchange = exchange
        self.whenFetched = whenFetched
        exchange.begin(head, length: length, from: self)
    }

    /// Whether that can be: both must be on one loop.
    func isOn(_ loop: Loop) -> Bool { self.loop === loop }

    /// Sends a body that is still on its way.
    private func pump(_ body: Request.Body) {
        Task.immediateDetached(executorPreference: loop) { [self] in
            do {
                for try await chunk in body { try await send(chunk) }
                finishSending()
            } catch is CancellationError {
                // Its sender has left, and with them the transfer; or the transfer is over.
            } catch {
                // It was answered before it was all sent.
                giveUpSending()
            }
        }
    }

    /// Sends a part of the body, and waits while the server is slower.
    private func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.perform { [self] in
                guard !isOver, !isCancelled else { return continuation.resume(throwing: CancellationError()) }
                if sending.isEmpty { sending = bytes } else { sending += bytes }
                room = continuation
                transfer?.resumeSending()
                giveRoom()
            }
        }
    }

    /// The body has been sent.
    private func finishSending() {
        loop.perform { [self] in
            hasSentAll = true
            transfer?.resumeSending()
            begin()
        }
    }

    /// The body will never be whole, and nobody may take it for that.
    private func giveUpSending() {
        loop.perform { [self] in
            guard let transfer else { return }
            transfer.cancel()
            ended(TransferError(.malformed, "\(host) answered a request that was dropped half way"))
        }
    }

    /// Breaks it off.
    func cancel() {
        loop.perform { [self] in
            guard !isCancelled else { return }
            isCancelled = true
            transfer?.cancel()
            transfer = nil
            let beginning = beginning
            self.beginning = nil
            beginning?(.failure(CancellationError()))
            next?.resume(throwing: CancellationError())
            next = nil
            room?.resume(throwing: CancellationError())
            room = nil
        }
    }

    // MARK: For the transfer

    func receive(line: UnsafeRawBufferPointer) throws(TransferError) {
        // Trailers are fields of nobody's.
        guard head == nil else { return }
        if let head = try reader.read(line, from: host) { receive(head) }
    }

    /// The answer begins.
    func receive(_ head: ResponseHead) {
        self.head = head
        // What came along with it is read by then.
        loop.performSoon { self.begin() }
    }

    func receive(body: UnsafeRawBufferPointer) -> Bool {
        let limit = beginning == nil || hasSentAll ? Self.highWater : Self.heldHighWater
        guard received.count - taken < limit else { return false }
        if received.isEmpty, body.count > 4 << 10 { received.reserveCapacity(Self.roomAtOnce) }
        received += body
        receivedCount += body.count
        if exchange != nil {
            exchange?.bodyIsReady()
        } else if next != nil {
            deliver()
        } else if isRefused {
            loop.performSoon { self.begin() }
        }
        return true
    }

    /// More of the body can be had by ``UpstreamTransfer/read(into:)``.
    func bodyIsThere() {
        if exchange != nil {
            exchange?.bodyIsReady()
        } else if next != nil {
            deliver()
        } else if beginning != nil, !hasSentAll {
            // The server may read no more before somebody takes what it sends.
            while received.count < Self.heldHighWater {
                let piece = piece()
                if piece.isEmpty { break }
                received += piece
                receivedCount += piece.count
            }
            if isRefused { loop.performSoon { self.begin() } }
        }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !sending.isEmpty else { return hasSentAll ? 0 : nil }
        let count = min(buffer.count, sending.count)
        buffer.copyBytes(from: sending[..<count])
        if count == sending.count { sending = [] } else { sending.removeFirst(count) }
        giveRoom()
        return count
    }

    func mayReach(_ address: [UInt8], port: Int) throws(TransferError) { try guardian?(address, port) }

    func ended(_ error: TransferError?) {
        guard !isOver else { return }
        isOver = true
        // Whatever went wrong behind an answer that is whole.
        self.error = receivedCount == head?.contentLength ? nil : error
        transfer = nil
        room?.resume(throwing: CancellationError())
        room = nil
        if head == nil {
            let beginning = beginning
            self.beginning = nil
            beginning?(.failure(error ?? TransferError(.malformed, "\(host) sent no answer")))
        } else if exchange != nil {
            exchange?.bodyIsReady()
        } else if beginning == nil {
            deliver()
        } else {
            loop.performSoon { self.begin() }
        }
    }

    // MARK: On the loop

    private func begin() {
        guard let head, let beginning, isOver || hasSentAll || isRefused else { return }
        self.beginning = nil
        transfer?.isAnsweredNow()
        if isOver, let error, received.isEmpty { return beginning(.failure(error)) }
        let isWhole = isOver && error == nil
        let body = isWhole ? received : nil
        if isWhole { received = [] }
        beginning(.success(Beginning(head: head, body: body)))
    }

    /// Whether no more is sent, since the answer is no success, and there is too much of that to wait for the rest.
    private var isRefused: Bool {
        beginning != nil && (head?.status.code ?? 0) >= 300 && received.count >= Self.highWater
    }

    private func deliver() {
        guard let next else { return }
        self.next = nil
        let chunk = received.isEmpty ? piece() : taken == 0 ? received : Array(received[taken...])
        if !chunk.isEmpty {
            forgetReceived()
            next.resume(returning: chunk)
            transfer?.resumeReceiving()
        } else if isOver {
            if let error { next.resume(throwing: error) } else { next.resume(returning: nil) }
        } else {
            self.next = next
        }
    }

    /// What can be had at once of a body that is fetched.
    private func piece() -> [UInt8] {
        guard let transfer else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Self.roomAtOnce) { buffer, count in
            count = transfer.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    private func forgetReceived() {
        received = []
        taken = 0
    }

    private func giveRoom() {
        guard sending.count < Self.highWater, let room else { return }
        self.room = nil
        room.resume()
    }
}

extension UpstreamLoad: BodySource {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = min(buffer.count, received.count - taken)
        guard count > 0 else {
            // Nothing waits here, so it goes to the caller straight from the server.
            if let transfer { count = transfer.read(into: buffer) }
            fetched += count
            guard count == 0 else { return count }
            return isCancelled || error != nil ? -2 : isOver ? -1 : 0
        }
        buffer.copyBytes(from: received[taken..<taken + count])
        taken += count
        fetched += count
        guard taken == received.count else { return count }
        forgetReceived()
        // Not from within the engine's library, to which other transfers may have something to say.
        if transfer?.isReceivingPaused == true { loop.performSoon { self.transfer?.resumeReceiving() } }
        return count
    }

    func isDone() {
        exchange = nil
        let whenFetched = whenFetched
        self.whenFetched = nil
        whenFetched?(fetched)
        loop.performSoon { self.cancel() }
    }
}

extension ResponseHeadReader {
    /// Reads one line of the heads of an answer; gives the final one.
    mutating func read(_ line: UnsafeRawBufferPointer, from host: String) throws(TransferError)
        -> ResponseHead?
    {
        let head: ResponseHead?
        do {
            head = try read(line)
        } catch {
            throw .noHTTP(of: host, error)
        }
        guard let head, head.status.kind == .informational else { return head }
        guard head.status != .switchingProtocols else {
            throw TransferError(.malformed, "\(host) changes to another protocol, which nobody asked for")
        }
        return nil
    }
}

extension TransferError {
    /// The server's answer cannot be trusted to mean what it seems to.
    static func noHTTP(of host: String, _ error: MalformedResponse) -> TransferError {
        TransferError(.malformed, "the answer of \(host) is no HTTP: \(error)")
    }
}
