/// What a request needs of the ``Gateway`` that answers it.
///
/// A protocol, so that this module does not depend on the gateway's, and can be read and tested alone.
@usableFromInline package protocol Answerer: AnyObject, Sendable {
    var logger: Logger { get }

    var via: Via { get }

    var bodyLimit: Int { get }

    /// Passes a request through to the responders (files, an upstream); nil if none takes it.
    func answerFromBehind(_ request: Request) async throws -> Response?

    func isFromThisMachine(_ request: Request) -> Bool

    func refusesSocket(of request: Request) -> HTTPError?
}

/// What a request needs of the page's call for which it was made, which came by the page's channel.
@usableFromInline package protocol ChannelCall: AnyObject, Sendable {
    /// True if a script gets the answer, and wants the bare output without an envelope.
    var isForScript: Bool { get }

    var session: Session? { get }
}
