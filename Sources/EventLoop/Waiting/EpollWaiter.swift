#if os(Linux)
import CLinux
import Glibc

/// Waits by `epoll(7)`, whose cost depends on the sockets that are ready, not on those that are watched.
package struct EpollWaiter: SocketWaiter, ~Copyable {
    private let epoll: Int32
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 256)
    /// The indices in `events` that `next()` has not returned yet.
    private var ready = 0..<0

    package init() throws {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("cannot make an epoll") }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        events.deallocate()
    }

    package mutating func add(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_ADD, socket, readiness)
    }

    package mutating func change(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_MOD, socket, readiness)
    }

    private func control(_ operation: Int32, _ socket: Int32, _ readiness: Readiness) throws {
        var event = epoll_event(events: Self.events(for: readiness), data: epoll_data_t(fd: socket))
        guard epoll_ctl(epoll, operation, socket, &event) == 0 else {
            throw SystemError("cannot watch a socket")
        }
    }

    /// Does nothing, since epoll notices by itself.
    package func expect(_ readiness: Readiness, on socket: Int32) {}

    package mutating func remove(_ socket: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
        for place in ready where events[place].data.fd == socket {
            // As a whole: to set a part of C's union in place, ThreadSanitizer's build makes Swift 6.3 fail.
            events[place].data = epoll_data_t(fd: -1)
        }
    }

    package mutating func wait(milliseconds: Int32) {
        ready = 0..<Int(max(0, epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)))
    }

    package mutating func next() -> (socket: Int32, readiness: Readiness)? {
        while let place = ready.popFirst() {
            let event = events[place]
            if event.data.fd >= 0 { return (event.data.fd, Self.readiness(event.events)) }
        }
        return nil
    }

    package static func makeWakeUp() throws -> WakeUp {
        let event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard event >= 0 else { throw SystemError("cannot make an event descriptor") }
        return WakeUp(reader: event, writer: event)
    }

    private static func events(for readiness: Readiness) -> UInt32 {
        var events: UInt32 = 0
        if readiness.contains(.readable) { events |= EPOLLIN.rawValue }
        if readiness.contains(.writable) { events |= EPOLLOUT.rawValue }
        if readiness.contains(.closed) { events |= EPOLLRDHUP.rawValue }
        if readiness.contains(.onceEach) { events |= EPOLLET.rawValue }
        if readiness.contains(.shared) { events |= EPOLLEXCLUSIVE.rawValue }
        return events
    }

    private static func readiness(_ events: UInt32) -> Readiness {
        var readiness: Readiness = []
        if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if events & EPOLLRDHUP.rawValue != 0 { readiness.insert(.closed) }
        if events & EPOLLHUP.rawValue != 0 { readiness.insert(.hungUp) }
        if events & EPOLLERR.rawValue != 0 { readiness.insert(.failed) }
        return readiness
    }
}
#endif
