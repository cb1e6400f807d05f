/// Who gets the answer of a ``Transfer``; every method is called on the loop's thread.
package protocol TransferOwner: AnyObject {
    /// The answer begins; its body is had by ``Transfer/read(into:)``.
    func receive(_ head: ResponseHead)
    /// There is more of the body than the last read brought.
    func bodyIsThere()
    /// Copies a part of a streamed body: how many bytes, 0 at its end; nil for none before
    /// ``Transfer/resumeSending()``.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Nothing more of the body is sent: the server has answered before it had all, and not with a success.
    func sendingStopped()
    /// The transfer is over; nothing is called after this. What was received and not read still can be.
    func ended(_ error: TransferError?)
}
