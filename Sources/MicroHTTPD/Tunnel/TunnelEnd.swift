import TLS

/// One side of a tunnel: a connection with non-blocking reads and writes.
///
/// Everything is called on the loop's thread, and nothing after ``close()``.
package protocol TunnelEnd: AnyObject {
    var descriptor: Int32 { get }

    /// Reads like `recv`: 0 at the end, -1 with `errno`, `EAGAIN` if there are no bytes yet.
    ///
    /// Read until `EAGAIN`: there may be bytes although the descriptor is not readable. The buffer is always large
    /// enough for a TLS record.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes like `send`: -1 with `errno`, `EAGAIN` if there is no room.
    ///
    /// Bytes that were not written are passed again, possibly with more after them. With `isLast` false, the kernel may
    /// wait for more bytes (`MSG_MORE`).
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int

    /// Ends the sending direction. Called when the descriptor is writable.
    func finishSending()

    /// Closes the connection in any state. Called once.
    func close()
}

extension Transport: TunnelEnd {}
