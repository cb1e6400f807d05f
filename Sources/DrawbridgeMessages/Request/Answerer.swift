package import Logging

/// Who answers a request, as far as the request asks for it: a ``Gateway``.
///
/// A request does not know the gateway itself, so that what speaks of requests alone can be read, and tested, alone.
@usableFromInline package protocol Answerer: AnyObject, Sendable {
    /// Where it and its handlers log.
    var logger: Logger { get }

    /// Its name in the `Via` of what goes through it.
    var via: Via { get }

    /// The handlers of its paths.
    var registered: [(path: String, handler: String)] { get }

    /// The limit of a collected body in bytes.
    var bodyLimit: Int { get }

    /// Sends a request on to what lies behind it; nil where nothing there takes it.
    func answerFromBehind(_ request: Request) async throws -> Response?

    /// Answers the request that a handler's class was redirected to.
    func redirected(to request: Request) async -> Response

    /// Whether the caller is on this machine, and nobody stands between.
    func isFromThisMachine(_ request: Request) -> Bool

    /// Why a page may not open a WebSocket; nil where it may.
    func refusesSocket(of request: Request) -> HTTPError?
}

/// A page's call of a handler by its channel, as far as the request asks that stands for it.
@usableFromInline package protocol ChannelCall: AnyObject, Sendable {
    /// True where a script wants the bare output, and no envelope.
    var isForScript: Bool { get }

    /// The session of its page; nil where no page calls.
    var session: Session? { get }
}
