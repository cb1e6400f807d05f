import CLinux
import Glibc

// What a loop watches, and when it calls; all of it on the loop's thread.
extension Loop {
    /// Events that a socket is watched for (`EPOLLIN`, `EPOLLOUT`).
    package static let readable = EPOLLIN.rawValue
    package static let writable = EPOLLOUT.rawValue
    /// The peer has closed its side.
    package static let closed = EPOLLRDHUP.rawValue
    /// Both sides are closed; told whether it is watched for or not, as ``failed`` is.
    package static let hungUp = EPOLLHUP.rawValue
    /// The connection broke.
    package static let failed = EPOLLERR.rawValue
    /// Not an event: said beside them, each is told once when it comes, and not as long as it lasts.
    package static let onceEach = EPOLLET.rawValue

    /// Says when connections wait on a socket, of which every loop has its own duplicate.
    package func listen(on socket: Int32) throws {
        // Exclusive, so that one connection does not wake all loops.
        try add(socket, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
        state.listeningSocket = socket
    }

    package var isListening: Bool { state.listeningSocket >= 0 }

    /// Leaves them waiting.
    package func stopListening() {
        guard state.listeningSocket >= 0 else { return }
        unwatch(state.listeningSocket)
        state.listeningSocket = -1
    }

    /// Watches for the peer of a socket to leave, whenever that is; told when it does, and no more.
    package func watchForEnd(of socket: Int32) throws {
        try add(socket, EPOLLRDHUP.rawValue | EPOLLET.rawValue)
    }

    /// Watches for what the peer of a socket sends, or for its end; told once.
    package func watchForBytes(on socket: Int32) throws {
        try add(socket, EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue)
    }

    /// Watches a guest's socket for something else.
    ///
    /// That the system does not know the socket is a mistake of the program's: somebody closed it before it was
    /// dismissed, and another has its number now. It stops a test; a release build watches the socket anew.
    package func change(_ socket: Int32, _ events: UInt32) throws {
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket))
        guard epoll_ctl(state.epoll, EPOLL_CTL_MOD, socket, &event) != 0 else { return }
        assertionFailure("a socket was closed before its loop was told: \(SystemError("epoll_ctl"))")
        try add(socket, events)
    }

    /// Watches a socket for a guest; told as long as the socket is ready.
    ///
    /// - Parameter events: ``readable``, ``writable``, ``closed`` and ``onceEach``; watched anew it is for these alone.
    package func watch(_ socket: Int32, for events: UInt32, _ guest: any Guest) throws {
        if state.guests.updateValue(guest, forKey: socket) != nil { return try change(socket, events) }
        do {
            try add(socket, events)
        } catch {
            state.guests[socket] = nil
            throw error
        }
    }

    /// Ends watching for a guest; must come before the socket is closed.
    package func dismiss(_ socket: Int32) {
        if state.guests.removeValue(forKey: socket) != nil { unwatch(socket) }
    }

    /// Calls a guest once, in so many milliseconds, in place of what was set for it before; nil for not at all.
    package func setTimer(for guest: any Guest, in milliseconds: Int?) {
        state.timers.removeAll { $0.guest === guest }
        if let milliseconds { state.timers.append((Loop.now + milliseconds, guest)) }
    }

    /// Ends watching; must come before the library may close the socket.
    package func unwatch(_ socket: Int32) { epoll_ctl(state.epoll, EPOLL_CTL_DEL, socket, nil) }

    func add(_ socket: Int32, _ events: UInt32) throws {
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket))
        guard epoll_ctl(state.epoll, EPOLL_CTL_ADD, socket, &event) == 0 else {
            throw SystemError("cannot watch a socket")
        }
    }
}
