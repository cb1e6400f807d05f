import CLinux
import Glibc

/// Waits for the sockets of one loop by `epoll(7)`, whose cost depends on those that are ready, not on those that are
/// watched.
///
/// It is used on the loop's thread only. A socket is removed before it is closed: events of the next socket with its
/// number would be taken for its own.
package struct EpollWaiter: ~Copyable {
    private let epoll: Int32
    // A pointer, as `epoll_wait` takes no optional one from glibc 2.38 on.
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.most)
    private static let most = 256
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

    /// Watches a socket that is not watched yet.
    package mutating func add(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_ADD, socket, readiness)
    }

    /// Watches a socket for something else; throws where it is not watched.
    package mutating func change(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_MOD, socket, readiness)
    }

    private func control(_ operation: Int32, _ socket: Int32, _ readiness: Readiness) throws {
        var event = epoll_event(events: readiness.rawValue, data: epoll_data_t(fd: socket))
        guard epoll_ctl(epoll, operation, socket, &event) == 0 else {
            throw SystemError("cannot watch a socket")
        }
    }

    /// Ends watching: from now on nothing is reported of the socket, even if it was ready already.
    package mutating func remove(_ socket: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
        for place in ready where events[place].data.fd == socket {
            // As a whole: to set a part of C's union in place, ThreadSanitizer's build makes Swift 6.3 fail.
            events[place].data = epoll_data_t(fd: -1)
        }
    }

    /// Waits until a socket is ready, but no longer than this; -1 is for ever.
    ///
    /// Before that, all that the last wait found must have been taken by ``next()``.
    package mutating func wait(milliseconds: Int32) {
        ready = 0..<Int(max(0, epoll_wait(epoll, events, Int32(Self.most), milliseconds)))
    }

    /// Takes one of the sockets that the last wait found ready; nil when there are no more.
    package mutating func next() -> (socket: Int32, readiness: Readiness)? {
        while let place = ready.popFirst() {
            let event = events[place]
            if event.data.fd >= 0 { return (event.data.fd, Readiness(rawValue: event.events)) }
        }
        return nil
    }
}

/// What a socket is ready for, or is watched for: the bits of `epoll(7)`.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ events: EPOLL_EVENTS) { rawValue = events.rawValue }

    /// Bytes are there, or the end of them.
    package static let readable = Readiness(EPOLLIN)
    package static let writable = Readiness(EPOLLOUT)
    /// The peer has closed its side.
    package static let closed = Readiness(EPOLLRDHUP)
    /// Both sides are closed; reported whether the socket is watched for it or not, as ``failed`` is.
    package static let hungUp = Readiness(EPOLLHUP)
    package static let failed = Readiness(EPOLLERR)

    /// An option, and not a readiness: each of these is reported once, and again only after it was lost.
    package static let onceEach = Readiness(EPOLLET)
    /// An option, and not a readiness: other loops watch the same socket, and only one needs to be woken.
    package static let shared = Readiness(EPOLLEXCLUSIVE)
}

/// A descriptor that any thread can make readable, to wake the loop that watches it: an `eventfd(2)`.
package struct WakeUp: ~Copyable, Sendable {
    package let descriptor: Int32

    package init() throws {
        let event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard event >= 0 else { throw SystemError("cannot make an event descriptor") }
        descriptor = event
    }

    deinit { close(descriptor) }

    /// Makes it readable, from any thread.
    package func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes it unreadable again after one ``ring()``.
    package func clear() {
        var value: UInt64 = 0
        _ = read(descriptor, &value, 8)
    }
}
