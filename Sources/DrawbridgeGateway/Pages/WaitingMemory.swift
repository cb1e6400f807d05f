/// Counts bytes that wait for a page against the memory that a server has for all that waits.
///
/// They are given back when this is released. One thread at a time changes it.
package protocol WaitingMemory: AnyObject, Sendable {
    /// Sets how many bytes wait; false where there is no room for them, and then nothing changes.
    func change(to count: Int) -> Bool

    /// Sets how many bytes wait, whether there is room or not.
    func changeAnyway(to count: Int)
}

extension HTTPError {
    /// The error for a page where the memory for all that waits is full.
    static let noRoomForPages = HTTPError(
        .serviceUnavailable,
        """
        the bodies of requests and what waits for pages take all the memory there is for them (--memory-for-bodies); \
        try again soon
        """)
}
