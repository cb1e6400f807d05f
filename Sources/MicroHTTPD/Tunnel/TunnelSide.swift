import EventLoop
import Glibc

/// One side of a tunnel, and the bytes that wait to be sent to it; on the loop's thread.
final class TunnelSide {
    let end: any TunnelEnd
    /// What the loop watches it for; nil while it does not.
    var watched: Readiness?
    /// Whether it is to be read again without an event of the loop, as there may be more bytes.
    var isDue = false
    /// Whether it sends nothing more.
    var hasEnded = false
    /// Whether it was told that nothing more comes.
    private(set) var isFinished = false
    private var waiting: [UInt8]
    /// How many of these bytes are sent.
    private var sent = 0

    init(_ end: any TunnelEnd, waiting: [UInt8] = []) {
        self.end = end
        self.waiting = waiting
    }

    /// True while bytes wait to be sent to it.
    var isBlocked: Bool { !waiting.isEmpty }

    /// Lets bytes wait for the next ``flush()``; only while none do.
    func wait(_ bytes: [UInt8]) { waiting = bytes }

    /// Sends bytes, and keeps those that it does not take; only while none wait.
    ///
    /// Returns false when it is broken.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let count = write(bytes) else { return false }
        if count < bytes.count { waiting = Array(bytes[count...]) }
        return true
    }

    /// Sends what waits, as far as it is taken; returns false when it is broken.
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

    /// Writes as much as is taken, and returns how many bytes; nil when the side is broken.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var count = 0
        while count < bytes.count {
            let written = end.write(UnsafeRawBufferPointer(rebasing: bytes[count...]))
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
