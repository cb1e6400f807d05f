package import TLS

/// One side of a tunnel: a connection whose bytes are read and written without waiting.
///
/// All of it is called on the loop's thread, and nothing after ``close()``.
package protocol TunnelEnd: AnyObject {
    /// The socket to watch for bytes and for room.
    var descriptor: Int32 { get }

    /// Reads as `recv` does: 0 when the peer sends nothing more, -1 with `errno`, which is `EAGAIN` while there is
    /// nothing.
    ///
    /// There may be bytes though the descriptor is not readable, until this returns `EAGAIN`. The buffer always has
    /// room for a TLS record.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes as `send` does: -1 with `errno`, which is `EAGAIN` while there is no room.
    ///
    /// Bytes that were not taken come again, perhaps with more behind them.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Writes; unless these bytes are the last for now, the system may wait for more to send with them.
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int

    /// Tells the peer that nothing more comes; called when the descriptor has room.
    func finishSending()

    /// Closes the connection, in whatever state; called once.
    func close()
}

extension TunnelEnd {
    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int { write(bytes) }
}

extension Transport: TunnelEnd {}

/// The end of a connected socket without TLS, which it closes.
package func plainEnd(_ descriptor: Int32) -> sending any TunnelEnd { Transport(descriptor) }
