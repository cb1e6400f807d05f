public import EventLoop

/// The server cannot listen where it should; says why and what to do.
public struct ListenError: Error, CustomStringConvertible {
    /// The whole sentence.
    public let description: String
    /// The program that listens at the port already, in words; nil where that is not the reason.
    public let holder: String?

    init(_ description: String, holder: String? = nil) {
        self.description = description
        self.holder = holder
    }
}

/// A call of the system that failed, with its reason; the loop's own.
public typealias SystemError = EventLoop.SystemError
