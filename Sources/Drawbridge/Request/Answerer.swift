package import Logging

/// Who answers a request, as far as the request asks for it: a ``Gateway``.
///
/// A request does not know the gateway itself, so that what speaks of requests alone can be read, and tested, alone.
package protocol Answerer: AnyObject, Sendable {
    /// Where it and its handlers log.
    var logger: Logger { get }

    /// Its name in the `Via` of what goes through it.
    var via: Via { get }

    /// The handlers of its paths.
    var registered: [(path: String, handler: String)] { get }

    /// Sends a request on to what lies behind it; nil where nothing there takes it.
    func answerFromBehind(_ request: Request) async throws -> Response?
}

/// A page's call of a handler by its channel, as far as the request asks that stands for it.
protocol ChannelCall: AnyObject, Sendable {
    /// True where a script wants the bare output, and no envelope.
    var isForScript: Bool { get }
}
