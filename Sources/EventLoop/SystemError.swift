import Glibc

/// A system call that failed, with its reason.
public struct SystemError: Error, CustomStringConvertible {
    /// What was tried, and the system's text for the error.
    public let description: String

    /// Takes the reason from `errno`.
    package init(_ action: String, code: Int32 = errno) {
        description = "\(action): \(String(cString: strerror(code)))"
    }
}
