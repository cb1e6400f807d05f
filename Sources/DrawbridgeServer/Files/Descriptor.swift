import Glibc

/// An open descriptor; closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a folder for looking up names in it, which needs permission to search it, but not to list it.
    convenience init(folder name: String, in parent: Int32, followingLinks: Bool) throws(FileError) {
        // O_PATH, which Swift does not import; it has the same value on every Linux that Swift supports.
        let toSearch: Int32 = 0o10000000
        let links = followingLinks ? 0 : O_NOFOLLOW
        self.init(
            try FileError.check { openat(parent, name, toSearch | O_DIRECTORY | O_CLOEXEC | links) })
    }

    /// Opens a file, never through a symbolic link, and without waiting for the writer of a FIFO.
    convenience init(file name: String, in parent: Int32) throws(FileError) {
        self.init(
            try FileError.check {
                openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            })
    }
}
