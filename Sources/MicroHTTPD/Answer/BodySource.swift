/// Where the body of an answer comes from that is fetched, not written: bytes that come from elsewhere on the same
/// loop.
///
/// It tells ``Exchange/bodyIsReady()`` when it has something after it had nothing. All of it is called on the loop's
/// thread.
package protocol BodySource: AnyObject, Sendable {
    /// Copies what there is: how many bytes, 0 for nothing yet, -1 at the end, -2 where it breaks off.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Nothing more is fetched: all has been, or the reader has gone; called once.
    func isDone()
}
