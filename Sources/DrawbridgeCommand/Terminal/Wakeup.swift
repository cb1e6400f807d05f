import Glibc

/// Wakes a thread that waits for a descriptor; waking never waits.
final class Wakeup: Sendable {
    /// Readable from a call of ``wake()`` on.
    let descriptor: Int32
    private let writing: Int32

    /// Nil where the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Wakes whoever waits now or next; a full socket has done so already.
    func wake() { _ = write(writing, [1], 1) }

    /// Waits until it is woken, at most for some milliseconds; -1 is for ever.
    func wait(milliseconds: Int32 = -1) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&wait, 1, milliseconds) > 0 { clear() }
    }

    /// Forgets the calls so far.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
