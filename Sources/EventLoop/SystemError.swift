import Glibc

/// A call of the system that failed, with its reason.
public struct SystemError: Error, CustomStringConvertible {
    /// What was tried, and what the system says.
    public let description: String

    /// Takes the reason from `errno`.
    package init(_ action: String, code: Int32 = errno) {
        description = "\(action): \(String(cString: strerror(code)))"
    }
}
