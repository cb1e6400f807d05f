import Glibc

/// Wakes a thread that waits for a descriptor; telling never waits.
final class News: Sendable {
    /// Readable while there is news.
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

    /// Tells; a full socket has told already.
    func tell() { _ = write(writing, [1], 1) }

    /// Waits until there is news, at most for some milliseconds; -1 is for ever.
    func wait(milliseconds: Int32 = -1) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&wait, 1, milliseconds) > 0 { take() }
    }

    /// Takes all that there is.
    func take() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
