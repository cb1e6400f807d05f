/// The streamed body of a response; for the exchange's loop only.
final class Outgoing {
    /// The number of buffered bytes above which the writer is suspended.
    private static let highWater = 64 << 10

    private let length: Int?
    private var buffer: [UInt8] = []
    private var first = 0
    private var written = 0
    private var sent = 0
    private var hasEnded = false
    private var hasFailed = false
    /// Counts the buffered bytes in the memory for bodies, if they are above the high-water mark; else nil.
    private var untaken: WaitingBytes?
    private var waiters: [CheckedContinuation<Void, any Error>] = []

    init(length: Int?) { self.length = length }

    var isOver: Bool { (hasEnded || hasFailed || sent == length) && first == buffer.count }
    /// True when a suspended library has to be resumed: there are bytes, the end, or an error.
    var hasNews: Bool { first < buffer.count || hasEnded || hasFailed }

    func append(
        _ bytes: [UInt8], in memory: BodyMemory, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        guard !hasFailed, !hasEnded else { return continuation.resume(throwing: CancellationError()) }
        written += bytes.count
        if let length, written > length {
            hasFailed = true
            return continuation.resume(throwing: WrongLength(declared: length, written: written))
        }
        buffer += bytes
        if buffer.count - first <= Self.highWater {
            continuation.resume()
        } else {
            let untaken = untaken ?? WaitingBytes(of: memory)
            untaken.changeAnyway(to: buffer.count)
            self.untaken = untaken
            waiters.append(continuation)
        }
    }

    /// Copies available bytes; returns their number, 0 if there are none yet, -1 at the end, -2 if the body is aborted.
    func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, buffer.count - first)
        guard count > 0 else { return hasFailed || (hasEnded && isShort) ? -2 : hasEnded ? -1 : 0 }
        target.copyBytes(from: buffer[first..<first + count])
        first += count
        sent += count
        if first == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.highWater)
            first = 0
            untaken = nil
        } else if first > max(Self.highWater, buffer.count / 2) {
            buffer.removeFirst(first)
            first = 0
        }
        if buffer.count - first <= Self.highWater / 2 {
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
        return count
    }

    func end() -> WrongLength? {
        hasEnded = true
        guard let length, written < length, !hasFailed else { return nil }
        return WrongLength(declared: length, written: written)
    }

    func fail() {
        hasFailed = true
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
        waiters = []
    }

    func forget() {
        fail()
        (buffer, first, untaken) = ([], 0, nil)
    }

    private var isShort: Bool { length.map { sent < $0 } ?? false }
}

/// A streamed body had more or fewer bytes than were declared; its transfer was aborted.
package struct WrongLength: Error, CustomStringConvertible {
    /// The length in bytes that was passed to ``Exchange/begin(_:length:)``.
    package let declared: Int
    /// The number of bytes that were written before the error.
    package let written: Int

    package var description: String {
        "a stream was declared with \(declared) bytes and got \(written); declare the right length, or none"
    }
}
