/// Who gets the answer of a ``Transfer``; every method is called on the client's thread.
package protocol TransferOwner: AnyObject {
    /// A line of a head, without its end; an empty one ends a head.
    ///
    /// - Throws: to end the transfer with that error.
    func receive(line: UnsafeRawBufferPointer) throws(TransferError)
    /// A part of the body; returns false to have it again after ``Transfer/resumeReceiving()``.
    func receive(body: UnsafeRawBufferPointer) -> Bool
    /// Copies a part of a streamed body: how many bytes, 0 at its end; nil for none before ``Transfer/resumeSending()``.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Whether this address may be asked; called before a connection is made, and before one is used again.
    ///
    /// - Parameter address: the 4 or 16 bytes of an IP address; none for a Unix socket.
    /// - Throws: a ``TransferError/Kind/forbidden`` to end the transfer.
    func mayReach(_ address: [UInt8], port: Int) throws(TransferError)
    /// The transfer is over; nothing is called after this.
    func ended(_ error: TransferError?)
}
