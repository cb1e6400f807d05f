package import Logging

/// What a request needs of the ``Gateway`` that answers it.
///
/// A request does not know the gateway itself, so that this module can be read, and tested, alone.
@usableFromInline package protocol Answerer: AnyObject, Sendable {
    var logger: Logger { get }

    /// Its name in the `Via` of what goes through it.
    var via: Via { get }

    var bodyLimit: Int { get }

    /// Sends a request on to what lies behind it; nil where nothing there takes it.
    func answerFromBehind(_ request: Request) async throws -> Response?

    /// Answers the request to which a handler's `URLProtocol` was redirected.
    func redirected(to request: Request) async -> Response

    /// Whether the caller is on this machine, with no proxy between.
    func isFromThisMachine(_ request: Request) -> Bool

    /// Why a page may not open a WebSocket; nil where it may.
    func refusesSocket(of request: Request) -> HTTPError?
}

/// What a request needs of the channel call that it stands for, a page's call of a handler.
@usableFromInline package protocol ChannelCall: AnyObject, Sendable {
    /// True where a script wants the bare output, and no envelope.
    var isForScript: Bool { get }

    /// The session of its page; nil where no page calls.
    var session: Session? { get }
}
