import Glibc

/// An open descriptor; closed with its last reference.
package final class Descriptor: Sendable {
    package let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// The path of the folder that a file is in.
    package static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    }

    /// Opens a folder for looking up names in it, which needs permission to search it, but not to list it.
    package convenience init(folder name: String, in parent: Int32, followingLinks: Bool) throws(FileError) {
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
