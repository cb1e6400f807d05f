/// The source of an answer's body that the engine fetches as it sends it: bytes that come from elsewhere on the same
/// loop.
///
/// It calls ``Exchange/bodyIsReady()`` when it has bytes again after it had none. All of it is called on the loop's
/// thread.
package protocol BodySource: AnyObject, Sendable {
    /// Copies available bytes, and returns how many: 0 for none yet, -1 at the end, -2 where it breaks off.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Called once, when nothing more is fetched: at the end, or when the reader has left.
    func isDone()
}
