import Glibc

/// An open descriptor; closed with its last reference.
package final class Descriptor: Sendable {
    package let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

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

package struct FileError: Error, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }

    /// True when there is no such file, or when a symbolic link has just replaced it.
    var isAbsence: Bool { [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO, EINVAL].contains(code) }
    var isForbidden: Bool { code == EACCES || code == EPERM }
    /// True when the same call may succeed in a moment.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    /// Repeats a call that a signal interrupted.
    ///
    /// - Throws: the error of a call that returned a negative number.
    package static func check<Result: SignedInteger>(_ call: () -> Result) throws(FileError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw FileError(code) }
        }
    }
}
