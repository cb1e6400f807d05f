import Glibc

/// Owns a socket together with its registration on a loop.
///
/// The system gives the number of a closed socket to the next one. A loop that still has the old number would call the
/// wrong guest, or would not watch the new socket at all. So one object owns both, and ends both together. It belongs
/// to its loop's thread.
package final class WatchedSocket {
    package let descriptor: Int32
    private let loop: Loop
    private var isWatched = false
    /// False once it is closed, or given to somebody else.
    private var isHeld = true

    /// Takes over a socket, which nobody else may close.
    package init(_ descriptor: Int32, on loop: Loop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit { close() }

    /// Watches it for something, in place of what it was watched for before.
    package func watch(for readiness: Readiness, _ guest: any Loop.Guest) throws {
        assert(loop.isOwnedHere, "a socket belongs to a loop, and was watched from another thread")
        guard isHeld else { return }
        try loop.watch(descriptor, for: readiness, guest)
        isWatched = true
    }

    /// Closes it; may be called again.
    package func close() { if release() { Glibc.close(descriptor) } }

    /// Ends watching, and leaves the socket to the caller; returns false where that was done before.
    @discardableResult
    package func release() -> Bool {
        guard isHeld else { return false }
        assert(loop.isOwnedHere, "a socket belongs to a loop, and was let go on another thread")
        if isWatched { loop.dismiss(descriptor) }
        isHeld = false
        return true
    }
}
