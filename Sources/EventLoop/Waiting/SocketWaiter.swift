/// What waits for sockets on behalf of one loop, in the words of its system.
///
/// It is used on the loop's thread only. A socket is removed before it is closed: the next socket of its number would
/// be told in its place.
package protocol SocketWaiter: ~Copyable {
    init() throws

    /// Watches a socket that is not watched yet.
    mutating func add(_ socket: Int32, for readiness: Readiness) throws

    /// Watches a socket for something else; throws where it is not watched.
    mutating func change(_ socket: Int32, for readiness: Readiness) throws

    /// Takes note that a socket watched with ``Readiness/onceEach`` is ready for this no more, and is to be told when
    /// it is again.
    mutating func expect(_ readiness: Readiness, on socket: Int32)

    /// Ends watching: from now on nothing is told of the socket, though it may be ready already.
    mutating func remove(_ socket: Int32)

    /// Waits until a socket is ready, but no longer than this; -1 is for ever.
    ///
    /// All that the last wait found has been taken by then.
    mutating func wait(milliseconds: Int32)

    /// Takes one of those that the last wait found ready; nil when there are no more.
    mutating func next() -> (socket: Int32, readiness: Readiness)?

    /// Makes what ends a wait from another thread.
    static func makeWakeUp() throws -> WakeUp
}

// Decided when a loop is compiled, so that it calls its waiter without asking which it is. A port adds its own here.
typealias SystemWaiter = EpollWaiter
