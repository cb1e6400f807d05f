import CLinux
import Glibc

/// Linux functions that Swift's Glibc module does not import.
package enum Linux {
    static func nameThread(_ name: String) { dbl_name_thread(name) }

    /// True for a Windows folder mounted by WSL (9p or drvfs): there, file modes say that everybody may write.
    package static func isOfWindows(_ folder: Int32) -> Bool { dbl_is_of_windows(folder) }
}

package struct SystemError: Error, CustomStringConvertible {
    /// The action that failed, a colon, and the text of `strerror`.
    package let description: String

    /// `code` is an `errno` value; its text is appended to `action`.
    package init(_ action: String, code: Int32 = errno) {
        description = "\(action): \(String(cString: strerror(code)))"
    }
}
