import CLinux
import Glibc

/// What Linux has and Swift's Glibc leaves out.
package enum Linux {
    static func nameThread(_ name: String) { dbl_name_thread(name) }

    /// Whether WSL mounts a folder of Windows, by 9p or drvfs: every file there seems writable by all.
    package static func isOfWindows(_ folder: Int32) -> Bool { dbl_is_of_windows(folder) }
}

/// A system call that failed, with its reason.
public struct SystemError: Error, CustomStringConvertible {
    /// What was tried, and the system's text for the error.
    public let description: String

    /// Takes the reason from `errno`.
    package init(_ action: String, code: Int32 = errno) {
        description = "\(action): \(String(cString: strerror(code)))"
    }
}
