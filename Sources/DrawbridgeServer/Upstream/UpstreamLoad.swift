import Curl
import Drawbridge
import HTTPTypes
import MicroHTTPD

/// A request to a server behind the gateway, as a task awaits its answer.
///
/// What is not read yet is held back where it comes from, and so is what the server does not take. All of it is touched
/// on its loop's thread only, whichever thread its methods are called on: that makes it Sendable.
final class UpstreamLoad: TransferOwner, @unchecked Sendable {
    /// More bytes than this wait for the reader before the server has to wait.
    private static let highWater = 32 << 10

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
    @exclusivity(unchecked) private var transfer: Transfer?
    @exclusivity(unchecked) private var reader = ResponseHeadReader()
    @exclusivity(unchecked) private var head: ResponseHead?
    @exclusivity(unchecked) private var received: [UInt8] = []
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var error: TransferError?
    @exclusivity(unchecked) private var isCancelled = false
    @exclusivity(unchecked) private var beginning: CheckedContinuation<Beginning, any Error>?
    @exclusivity(unchecked) private var next: CheckedContinuation<[UInt8]?, any Error>?

    @exclusivity(unchecked) private var sending: [UInt8] = []
    @exclusivity(unchecked) private var hasSentAll = false
    @exclusivity(unchecked) private var room: CheckedContinuation<Void, any Error>?

    init(on loop: Loop, host: String, guardian: Guardian? = nil) {
        self.loop = loop
        self.host = host
        self.guardian = guardian
    }

    // MARK: From any thread

    /// Sends the request and returns the head of the answer, with its body if that came along.
    ///
    /// - Parameter body: read where the request streams it.
    /// - Throws: a `TransferError`, or a `CancellationError`.
    func start(_ request: TransferRequest, _ body: Request.Body) async throws -> Beginning {
        if case .stream = request.body { pump(body) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.perform { [self] in
                    guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
                    beginning = continuation
                    let transfer = Transfer(
                        request, on: LoopClient.of(loop), isGuarded: guardian != nil, for: self)
                    self.transfer = transfer
                    transfer.start()
                }
            }
        } onCancel: {
            cancel()
        }
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

    /// Sends a body that is still on its way.
    private func pump(_ body: Request.Body) {
        Task.immediateDetached(executorPreference: loop) { [self] in
            do {
                for try await chunk in body { try await send(chunk) }
                finishSending()
            } catch is CancellationError {
                // Its sender has left, and with them the transfer; or the transfer is over.
            } catch {
                // What was answered before it was all sent is not sent further.
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
        }
    }

    /// Breaks it off.
    func cancel() {
        loop.perform { [self] in
            guard !isCancelled else { return }
            isCancelled = true
            transfer?.cancel()
            transfer = nil
            beginning?.resume(throwing: CancellationError())
            beginning = nil
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
        guard let head = try reader.read(line, from: host) else { return }
        self.head = head
        transfer?.isAnsweredNow()
        // What came along with it is read by then.
        loop.performSoon { self.begin() }
    }

    func receive(body: UnsafeRawBufferPointer) -> Bool {
        guard received.count < Self.highWater else { return false }
        received += body
        if next != nil { deliver() }
        return true
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
        isOver = true
        self.error = error
        transfer = nil
        room?.resume(throwing: CancellationError())
        room = nil
        if head == nil {
            let error = error ?? TransferError(.malformed, "an answer had no head")
            beginning?.resume(throwing: error)
            beginning = nil
        } else if beginning == nil {
            deliver()
        }
    }

    // MARK: On the loop

    private func begin() {
        guard let head, let beginning else { return }
        self.beginning = nil
        if isOver, let error, received.isEmpty { return beginning.resume(throwing: error) }
        let isWhole = isOver && error == nil
        beginning.resume(returning: Beginning(head: head, body: isWhole ? received : nil))
        if isWhole { received = [] }
    }

    private func deliver() {
        guard let next else { return }
        if !received.isEmpty {
            self.next = nil
            let chunk = received
            received = []
            next.resume(returning: chunk)
            transfer?.resumeReceiving()
        } else if isOver {
            self.next = nil
            if let error { next.resume(throwing: error) } else { next.resume(returning: nil) }
        }
    }

    private func giveRoom() {
        guard sending.count < Self.highWater, let room else { return }
        self.room = nil
        room.resume()
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
            throw TransferError(.malformed, "the answer of \(host) is no HTTP: \(error)")
        }
        guard let head, head.status.kind == .informational else { return head }
        guard head.status != .switchingProtocols else {
            throw TransferError(.malformed, "\(host) changes to another protocol, which nobody asked for")
        }
        return nil
    }
}
