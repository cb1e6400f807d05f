/// One side of a tunnel: a connection whose bytes are read and written without waiting.
///
/// All of it is called on the loop's thread, and nothing after ``close()``.
package protocol TunnelEnd: AnyObject {
    /// What is watched for bytes and for room.
    var descriptor: Int32 { get }

    /// Reads as `recv` does: 0 when the peer sends nothing more, -1 with `errno`, which is `EAGAIN` while there is
    /// nothing.
    ///
    /// Bytes may be there that the descriptor does not show, until this says `EAGAIN`. There is always room for a
    /// record of TLS.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes as `send` does: -1 with `errno`, which is `EAGAIN` while there is no room.
    ///
    /// What was not taken comes again, with more behind it or not.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Says to the peer that nothing more comes; called when the descriptor has room.
    func finishSending()

    /// Lets go of the connection, whatever was said before; called once.
    func close()
}
