import CLinux
import Glibc

/// Waits for the sockets of one loop with `epoll(7)`; the cost depends on the number of ready ones, not of watched
/// ones.
///
/// Use it on the loop's thread only. Remove a socket before you close it: its number may be given to the next socket,
/// and old events would then be reported for the new one.
package struct EpollWaiter: ~Copyable {
    private let epoll: Int32
    // A pointer instead of an array: since glibc 2.38 the parameter of `epoll_wait` is imported as non-optional.
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

    /// Starts watching a socket; throws if it is already watched.
    package mutating func add(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_ADD, socket, readiness)
    }

    package mutating func change(_ socket: Int32, for readiness: Readiness) throws {
        try control(EPOLL_CTL_MOD, socket, readiness)
    }

    private func control(_ operation: Int32, _ socket: Int32, _ readiness: Readiness) throws {
        var event = epoll_event(events: readiness.rawValue, data: epoll_data_t(fd: socket))
        guard epoll_ctl(epoll, operation, socket, &event) == 0 else {
            throw SystemError("cannot watch a socket")
        }
    }

    /// Stops watching a socket; events of it that `next()` has not returned yet are dropped.
    package mutating func remove(_ socket: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
        for place in ready where events[place].data.fd == socket {
            // Replaces the whole union: Swift 6.3 cannot compile a change of one member under ThreadSanitizer.
            events[place].data = epoll_data_t(fd: -1)
        }
    }

    /// Waits at most this long until a socket is ready; -1 waits without a timeout.
    ///
    /// Call ``next()`` until it returns nil before you wait again: events that are left are lost.
    package mutating func wait(milliseconds: Int32) {
        ready = 0..<Int(max(0, epoll_wait(epoll, events, Int32(Self.most), milliseconds)))
    }

    /// Returns the next socket that the last wait reported as ready, or nil after the last one.
    package mutating func next() -> (socket: Int32, readiness: Readiness)? {
        while let place = ready.popFirst() {
            let event = events[place]
            if event.data.fd >= 0 { return (event.data.fd, Readiness(rawValue: event.events)) }
        }
        return nil
    }
}

/// The readiness of a socket, reported or asked for: the bits of `epoll(7)`.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ events: EPOLL_EVENTS) { rawValue = events.rawValue }

    /// `read` does not block: there are bytes, or the peer has finished sending.
    package static let readable = Readiness(EPOLLIN)
    package static let writable = Readiness(EPOLLOUT)
    /// Both, as one constant: a literal of two is made anew wherever it stands, by 2,000 instructions.
    package static let usual = Readiness(rawValue: readable.rawValue | writable.rawValue)
    /// The peer has finished sending (FIN).
    package static let closed = Readiness(EPOLLRDHUP)
    /// Both directions are closed; like ``failed``, it is always reported, whether asked for or not.
    package static let hungUp = Readiness(EPOLLHUP)
    package static let failed = Readiness(EPOLLERR)

    /// An option (edge-triggered): each readiness is reported once, and again only after it was gone.
    package static let onceEach = Readiness(EPOLLET)
    /// An option: several loops watch the same socket, and an event wakes only one of them.
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

    /// Makes the descriptor readable; may be called on any thread.
    package func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable again, however often ``ring()`` was called.
    package func clear() {
        var value: UInt64 = 0
        _ = read(descriptor, &value, 8)
    }
}
