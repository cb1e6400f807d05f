/// Waits for the sockets of one loop, by the calls of an operating system.
///
/// It is used on the loop's thread only. A socket is removed before it is closed: events of the next socket with its
/// number would be taken for its own.
package protocol SocketWaiter: ~Copyable {
    init() throws

    /// Watches a socket that is not watched yet.
    mutating func add(_ socket: Int32, for readiness: Readiness) throws

    /// Watches a socket for something else; throws where it is not watched.
    mutating func change(_ socket: Int32, for readiness: Readiness) throws

    /// Called when a socket that is watched with ``Readiness/onceEach`` is no longer ready for this, so that it is
    /// reported when it is ready again.
    mutating func expect(_ readiness: Readiness, on socket: Int32)

    /// Ends watching: from now on nothing is reported of the socket, even if it was ready already.
    mutating func remove(_ socket: Int32)

    /// Waits until a socket is ready, but no longer than this; -1 is for ever.
    ///
    /// Before that, all that the last wait found must have been taken by ``next()``.
    mutating func wait(milliseconds: Int32)

    /// Takes one of the sockets that the last wait found ready; nil when there are no more.
    mutating func next() -> (socket: Int32, readiness: Readiness)?

    /// Makes the descriptor by which another thread ends a wait.
    static func makeWakeUp() throws -> WakeUp
}

// Chosen at compile time, so that calls of the waiter are static. A port to another system adds its own here.
typealias SystemWaiter = EpollWaiter
