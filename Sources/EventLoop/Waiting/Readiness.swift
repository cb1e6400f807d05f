/// What a socket is ready for, or is watched for.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes are there, or the end of them.
    package static let readable = Readiness(rawValue: 1)
    /// There is room for bytes.
    package static let writable = Readiness(rawValue: 2)
    /// The peer has closed its side.
    package static let closed = Readiness(rawValue: 4)
    /// Both sides are closed; reported whether the socket is watched for it or not, as ``failed`` is.
    package static let hungUp = Readiness(rawValue: 8)
    /// The connection broke.
    package static let failed = Readiness(rawValue: 16)

    /// An option beside others, and no readiness: each of these is reported once, and again only after it was lost.
    ///
    /// Who finds that it was lost calls ``SocketWaiter/expect(_:on:)``, as not every system notices by itself.
    package static let onceEach = Readiness(rawValue: 32)
    /// An option, and no readiness: other loops watch the same socket, and only one needs to be woken.
    package static let shared = Readiness(rawValue: 64)
}
