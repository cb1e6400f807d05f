/// What something of a page's takes of the memory that a server has for all that waits.
///
/// It is given back when this is let go of. One thread at a time changes it.
package protocol WaitingMemory: AnyObject, Sendable {
    /// So many bytes are to wait from now on; false where there is no room for them, and then nothing changes.
    func change(to count: Int) -> Bool

    /// So many bytes wait from now on, whether there is room or not.
    func changeAnyway(to count: Int)
}

extension HTTPError {
    /// What a page is told where all that waits has no room for more.
    static let noRoomForPages = HTTPError(
        .serviceUnavailable,
        """
        the bodies of requests and what waits for pages take all the memory there is for them (--memory-for-bodies); \
        try again soon
        """)
}
