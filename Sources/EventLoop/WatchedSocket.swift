import Glibc

/// A socket and its registration on a loop, which end together; for the loop's thread only.
///
/// Linux reuses the number of a closed socket. A loop that still has the old number registered would call the wrong
/// guest, or would not watch the new socket.
package final class WatchedSocket {
    package let descriptor: Int32
    private let loop: Loop
    private var isWatched = false
    /// False after it was closed or released.
    private var isHeld = true

    /// Takes ownership of a socket; no other code may close it.
    package init(_ descriptor: Int32, on loop: Loop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit { close() }

    /// Watches the socket; replaces an earlier readiness and guest; does nothing after a close or release.
    package func watch(for readiness: Readiness, _ guest: any Loop.Guest) throws {
        assert(loop.isOwnedHere, "a socket belongs to a loop, and was watched from another thread")
        guard isHeld else { return }
        try loop.watch(descriptor, for: readiness, guest)
        isWatched = true
    }

    /// Closes the socket; does nothing when called again.
    package func close() { if release() { Glibc.close(descriptor) } }

    /// Stops watching, and gives the open socket back to the caller; returns false if it was closed or released before.
    @discardableResult
    package func release() -> Bool {
        guard isHeld else { return false }
        assert(loop.isOwnedHere, "a socket belongs to a loop, and was let go on another thread")
        if isWatched { loop.dismiss(descriptor) }
        isHeld = false
        return true
    }
}
