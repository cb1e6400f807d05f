/// Gets the answer of a ``Transfer``; every method is called on the loop's thread.
package protocol TransferOwner: AnyObject {
    /// The head of the answer has come; the body is read by ``Transfer/read(into:)``.
    func receive(_ head: ResponseHead)
    /// There are bytes of the body to read.
    func bodyIsThere()
    /// Copies a part of a streamed body, and returns how many bytes: 0 at its end, nil for none until
    /// ``Transfer/resumeSending()``.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// No more of the body is sent, since the server takes no more, or has answered early and without success.
    func sendingStopped()
    /// The transfer is over, and nothing is called after this; received bytes can still be read.
    func ended(_ error: TransferError?)
}
