import CFanotify
import Glibc

/// The files below `/usr` that a command and its children opened, each once.
///
/// The command has mounts of its own, which lead to the same files: the kernel tells what is opened by way of these
/// mounts, so nothing is told of what other processes open. A child that makes mounts of its own again is not seen.
final class OpenedFiles {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        /// What could not be done, with the system's reason.
        init(_ action: String) { description = "cannot \(action): \(String(cString: strerror(errno)))" }
    }

    /// Packages have their programs and libraries here, and nobody else has anything here but below `/usr/local`.
    private static let watched = "/usr"

    private let events: Int32
    private var paths: Set<String> = []

    init() throws {
        events = fanotify_init(UInt32(WatchDescriptor), UInt32(O_RDONLY | O_CLOEXEC))
        guard events >= 0 else { throw Failure("watch files") }
        guard have_mounts_of_its_own() == 0 else { throw Failure("have mounts of its own") }
        let code = fanotify_mark(
            events, UInt32(WatchMount), UInt64(WatchOpened), AT_FDCWD, Self.watched)
        guard code == 0 else { throw Failure("watch \(Self.watched)") }
    }

    /// Runs the command; gives its exit code, or 128 and the number of the signal that ended it.
    func collect(while command: [String]) throws -> Int32 {
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        errno = posix_spawnp(&child, command[0], nil, nil, &arguments, environ)
        guard errno == 0 else { throw Failure("start \(command[0])") }
        var status: Int32 = 0
        while waitpid(child, &status, WNOHANG) == 0 { try readEvents(within: 100) }
        try readEvents(within: 0)
        return status & 0x7F != 0 ? 128 + status & 0x7F : (status >> 8) & 0xFF
    }

    /// One path a line, in order.
    func write(to list: String) throws {
        guard let file = fopen(list, "we") else { throw Failure("write \(list)") }
        defer { fclose(file) }
        for path in paths.sorted() { fputs(path + "\n", file) }
    }

    /// Takes what there is, after waiting for it for so many milliseconds.
    private func readEvents(within milliseconds: Int32) throws {
        var waits = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
        let size = MemoryLayout<fanotify_event_metadata>.size
        var buffer = [fanotify_event_metadata](repeating: fanotify_event_metadata(), count: 1024)
        var wait = milliseconds
        while poll(&waits, 1, wait) > 0 {
            wait = 0
            let count = read(events, &buffer, buffer.count * size) / size
            for event in buffer.prefix(max(count, 0)) { try take(event) }
        }
    }

    private func take(_ event: fanotify_event_metadata) throws {
        guard event.mask & UInt64(WatchOverflow) == 0 else { throw Failure("keep up with the files") }
        defer { close(event.fd) }
        let link = "/proc/self/fd/\(event.fd)"
        var name = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(link, &name, name.count)
        guard length > 0 else { throw Failure("name an opened file") }
        let path = String(decoding: name.prefix(length), as: UTF8.self)
        if path.hasPrefix(Self.watched + "/") { paths.insert(path) }
        _ = fanotify_mark(
            events, UInt32(WatchNoMore), UInt64(WatchOpened), AT_FDCWD, link)
    }
}
