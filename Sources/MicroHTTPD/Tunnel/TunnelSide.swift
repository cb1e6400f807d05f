import Glibc

/// One side of a tunnel, with the bytes that wait to be sent to it; for the loop's thread only.
final class TunnelSide {
    let end: any TunnelEnd
    /// What the loop watches its socket for; nil if it is not watched.
    var watched: Readiness?
    /// Whether to read again without an event, because there may be more bytes.
    var isDue = false
    var hasEnded = false
    /// Whether the peer was told that nothing more follows.
    private(set) var isFinished = false
    private var waiting: [UInt8]
    /// How many of the waiting bytes are sent.
    private var sent = 0

    init(_ end: any TunnelEnd, waiting: [UInt8] = []) {
        self.end = end
        self.waiting = waiting
    }

    var isBlocked: Bool { !waiting.isEmpty }

    /// Stores bytes for the next ``flush()``; call it only if none are waiting.
    func wait(_ bytes: [UInt8]) { waiting = bytes }

    /// Sends bytes, and stores those that cannot be sent yet.
    ///
    /// Call it only if none are waiting. Returns false if the side has failed.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let count = write(bytes) else { return false }
        if count < bytes.count { waiting = Array(bytes[count...]) }
        return true
    }

    /// Sends waiting bytes, as many as possible; returns false if the side has failed.
    func flush() -> Bool {
        guard isBlocked else { return true }
        guard let count = waiting.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[sent...])) })
        else { return false }
        sent += count
        if sent == waiting.count {
            waiting = []
            sent = 0
        }
        return true
    }

    func finish() {
        isFinished = true
        end.finishSending()
    }

    /// Writes until `EAGAIN`; returns the number of bytes written; nil if the side has failed.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var count = 0
        while count < bytes.count {
            let written = end.write(UnsafeRawBufferPointer(rebasing: bytes[count...]), isLast: true)
            if written > 0 {
                count += written
            } else if written == 0 || errno == EAGAIN {
                break
            } else if errno != EINTR {
                return nil
            }
        }
        return count
    }
}
