public import Logging

/// What a request needs of the ``Gateway`` that answers it.
///
/// A request does not know the gateway itself, so that this module can be read, and tested, alone.
@usableFromInline package protocol Answerer: AnyObject, Sendable {
    var logger: Logger { get }

    var via: Via { get }

    var bodyLimit: Int { get }

    /// Sends a request on to what lies behind it; nil where nothing there takes it.
    func answerFromBehind(_ request: Request) async throws -> Response?

    /// Answers the request to which a handler's `URLProtocol` was redirected.
    func redirected(to request: Request) async -> Response

    func isFromThisMachine(_ request: Request) -> Bool

    func refusesSocket(of request: Request) -> HTTPError?
}

/// What a request needs of the channel call that it stands for, a page's call of a handler.
@usableFromInline package protocol ChannelCall: AnyObject, Sendable {
    /// True where a script wants the bare output, and no envelope.
    var isForScript: Bool { get }

    var session: Session? { get }
}
