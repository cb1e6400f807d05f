import Glibc

/// An open descriptor; closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a folder to look names up in it, which takes the right to search it and not to list it.
    convenience init(folder name: String, in parent: Int32, followingLinks: Bool) throws(FileError) {
        // O_PATH, whose definition Swift does not import; the same on every Linux that Swift runs on.
        let toSearch: Int32 = 0o10000000
        let links = followingLinks ? 0 : O_NOFOLLOW
        self.init(
            try FileError.check { openat(parent, name, toSearch | O_DIRECTORY | O_CLOEXEC | links) })
    }

    /// Opens what should be a regular file, never through a link, and without waiting for the writer of a FIFO.
    convenience init(file name: String, in parent: Int32) throws(FileError) {
        self.init(
            try FileError.check {
                openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            })
    }
}
