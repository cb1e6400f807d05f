import Glibc

/// A system call on a file that failed.
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
