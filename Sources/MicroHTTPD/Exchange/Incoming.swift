struct Incoming {
    enum Mode: Equatable {
        case collected(upTo: Int)
        case streamed
        /// Read and dropped, up to a number of bytes, so that the caller sees the answer.
        case dropped(upTo: Int)
    }

    enum Outcome {
        case taken
        /// Taken, but no more can be taken until it is read.
        case full
        case tooMuch(limit: Int)
        /// There is no room for it in the memory for all bodies.
        case noRoom
        case cut
    }

    /// How many unread bytes of a stream there may be before the sender has to wait.
    private static let highWater = 64 << 10

    /// A body up to this size is as small as a head, and does not count.
    private static let uncounted = 4 << 10

    /// How much memory is taken first and second for a body of known length; the third time, enough for all of it.
    ///
    /// So a large body that is only announced takes little memory, and one that comes is copied twice at most.
    private static let firstSteps = [64 << 10, 1 << 20]

    private var mode: Mode
    private let announced: Int
    private var buffer: [UInt8] = []
    private var room = Self.uncounted
    private var dropped = 0
    private var hasFailed = false
    /// Takes the next part; a closure, because an exchange is made and freed faster with it than with a continuation.
    private var waiter: (@Sendable (Result<[UInt8]?, any Error>) -> Void)?

    private(set) var isOpen = true
    /// The answer to send when a dropped body has ended.
    private(set) var refusal: Answer?

    /// - Parameter announced: the length that the head gives, 0 where it gives none.
    init(_ mode: Mode, announced: Int) {
        self.mode = mode
        self.announced = announced
    }

    var hasRoom: Bool { buffer.count < Self.highWater }

    /// - Parameter memory: the exchange's share of the memory for bodies, for a collected body.
    mutating func append(_ bytes: UnsafeRawBufferPointer, in memory: borrowing BodyShare) -> Outcome {
        switch mode {
        case .collected(let limit):
            guard bytes.count <= limit - buffer.count else { return .tooMuch(limit: limit) }
            let size = buffer.count + bytes.count
            guard size <= room || makeRoom(for: size, limit: limit, in: memory) else { return .noRoom }
            buffer += bytes
            return .taken
        case .streamed:
            if let waiter = waiter.take() {
                waiter(.success(Array(bytes)))
                return .taken
            }
            buffer += bytes
            return hasRoom ? .taken : .full
        case .dropped(let limit):
            dropped += bytes.count
            return dropped <= limit ? .taken : .cut
        }
    }

    private mutating func makeRoom(for size: Int, limit: Int, in memory: borrowing BodyShare) -> Bool {
        let enough =
            announced > 0
            ? min(announced, limit, Self.firstSteps.first { $0 >= size } ?? announced)
            : min(limit, max(size, 2 * room))
        guard memory.replace(by: enough) else { return false }
        room = enough
        buffer.reserveCapacity(enough)
        return true
    }

    /// Drops the rest of the body; the answer is sent when the body has ended.
    mutating func discard(answering answer: Answer, atMost limit: Int) {
        mode = .dropped(upTo: limit)
        refusal = answer
        buffer = []
        waiter.take()?(.failure(BodyDropped()))
    }

    mutating func takeCollected() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    mutating func end() {
        isOpen = false
        waiter.take()?(.success(nil))
    }

    mutating func fail() {
        hasFailed = true
        waiter.take()?(.failure(CancellationError()))
    }

    mutating func next(_ continuation: CheckedContinuation<[UInt8]?, any Error>) {
        if !buffer.isEmpty, mode == .streamed {
            let chunk = buffer
            buffer = []
            continuation.resume(returning: chunk)
        } else if refusal != nil {
            continuation.resume(throwing: BodyDropped())
        } else if hasFailed || waiter != nil {
            continuation.resume(throwing: CancellationError())
        } else if !isOpen {
            continuation.resume(returning: nil)
        } else {
            waiter = { continuation.resume(with: $0) }
        }
    }
}

/// The rest of a body is not there any more, because the answer has begun.
public struct BodyDropped: Error, CustomStringConvertible {
    /// Says what to do.
    public let description =
        "the answer has begun, and what was left of the request's body was dropped; read it before you answer"
}
