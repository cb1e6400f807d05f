import Glibc

/// An open file descriptor, closed with its last reference.
package final class Descriptor: Sendable {
    package let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    package static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    }

    /// Opens a folder for `openat`; needs permission to search the folder, but not to list it.
    package convenience init(folder name: String, in parent: Int32, followingLinks: Bool) throws(FileError) {
        // O_PATH, which Swift does not import. The value is the same on every Linux that Swift supports.
        let toSearch: Int32 = 0o10000000
        let links = followingLinks ? 0 : O_NOFOLLOW
        self.init(
            try FileError.check { openat(parent, name, toSearch | O_DIRECTORY | O_CLOEXEC | links) })
    }

    /// Opens a file for reading; does not follow a symbolic link, and does not wait for the writer of a FIFO.
    convenience init(file name: String, in parent: Int32) throws(FileError) {
        self.init(
            try FileError.check {
                openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            })
    }
}

package struct FileError: Error, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }

    /// The file does not exist, or was replaced by a symbolic link after the check.
    var isAbsence: Bool { [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO, EINVAL].contains(code) }
    var isForbidden: Bool { code == EACCES || code == EPERM }
    /// The system is short of descriptors or memory; the same call may succeed later.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    /// Repeats a system call that was interrupted by a signal.
    ///
    /// - Throws: the error if the call returned a negative number.
    package static func check<Result: SignedInteger>(_ call: () -> Result) throws(FileError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw FileError(code) }
        }
    }
}
