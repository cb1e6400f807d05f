import Synchronization

struct Incoming {
    enum Mode: Equatable {
        case collected(upTo: Int)
        case streamed
        /// Read and dropped, up to a number of bytes: many clients read the response only after sending the body.
        case dropped(upTo: Int)
    }

    enum Outcome {
        case taken
        /// Taken, but the reading must pause until the buffer is read.
        case full
        case tooMuch(limit: Int)
        /// The memory limit for all bodies is reached.
        case noRoom
        case cut
    }

    /// Unread bytes of a streamed body in the buffer, above which reading from the socket is paused.
    private static let highWater = 64 << 10

    /// Up to this size in bytes, a body is not counted in the memory for bodies.
    private static let uncounted = 4 << 10

    /// The sizes reserved for a body of known length: first 4 KB, then 64 KB, then 1 MB, then the whole length.
    ///
    /// So a body that is announced but never sent reserves little, and of one that arrives little is copied again.
    private static let firstSteps = [uncounted, 64 << 10, 1 << 20]

    private var mode: Mode
    private let announced: Int
    /// The unread bytes of a streamed body; the memory of a collected one, of which `collected` bytes have arrived.
    private var buffer: [UInt8] = []
    private var collected = 0
    private var dropped = 0
    private var hasFailed = false
    /// Gets the next chunk; a closure, because an optional continuation makes creating and freeing an exchange slower.
    private var waiter: (@Sendable (Result<[UInt8]?, any Error>) -> Void)?

    private(set) var isOpen = true
    /// The response to send at the end of a body that is dropped.
    private(set) var refusal: Answer?

    /// - Parameter announced: the Content-Length; 0 if there is none.
    init(_ mode: Mode, announced: Int) {
        self.mode = mode
        self.announced = announced
    }

    var hasRoom: Bool { buffer.count < Self.highWater }

    /// - Parameter memory: the exchange's share of the memory for bodies; used for a collected body only.
    mutating func append(_ bytes: UnsafeRawBufferPointer, in memory: borrowing BodyShare) -> Outcome {
        switch mode {
        case .collected(let limit):
            guard bytes.count <= limit - collected else { return .tooMuch(limit: limit) }
            let size = collected + bytes.count
            if bytes.count == announced, size <= Self.uncounted {
                // Most bodies: small, and in one piece.
                buffer += bytes
            } else {
                guard size <= buffer.count || makeRoom(for: size, limit, in: memory) else { return .noRoom }
                memory.copy(bytes, to: &buffer, at: collected)
            }
            collected = size
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

    private mutating func makeRoom(for size: Int, _ limit: Int, in memory: borrowing BodyShare) -> Bool {
        let enough =
            announced > 0
            ? min(announced, limit, Self.firstSteps.first { $0 >= size } ?? announced)
            : min(limit, max(size, 2 * buffer.count))
        guard enough <= Self.uncounted || memory.replace(by: enough) else { return false }
        // Memory that is not written is not resident: what has not arrived costs nothing yet.
        buffer = [UInt8](unsafeUninitializedCapacity: enough) { [buffer, collected] room, count in
            room.baseAddress?.initialize(from: buffer, count: collected)
            count = enough
        }
        return true
    }

    /// Drops the remaining body; after its end `answer` is sent.
    mutating func discard(answering answer: Answer, atMost limit: Int) {
        mode = .dropped(upTo: limit)
        refusal = answer
        buffer = []
        waiter.take()?(.failure(BodyDropped()))
    }

    mutating func takeCollected() -> [UInt8] {
        defer { buffer = [] }
        if collected < buffer.count { buffer.removeLast(buffer.count - collected) }
        // For what was copied past the caches: another thread may read it.
        if collected > Self.uncounted { atomicMemoryFence(ordering: .sequentiallyConsistent) }
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

/// Thrown on reading a request body after the response has begun: the unread part was dropped.
package struct BodyDropped: Error, CustomStringConvertible {
    package let description =
        "the response has begun, so the rest of the request's body was dropped; read the body before you answer"
}
