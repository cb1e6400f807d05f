/// Answers requests that are not for native, or declines them: files, the page's own server.
public protocol Responder: Sendable {
    /// Answers, or returns nil to leave the request to the next in line.
    ///
    /// - Throws: an ``HTTPError`` to refuse the request with that status.
    func respond(to request: Request) async throws -> Response?

    /// Whether it answers for hosts that are not the gateway's, as a browser's proxy does; by default not.
    ///
    /// A request whose target is a whole URL (RFC 9112, section 3.2.2) goes to those that do, and to no other.
    var isProxy: Bool { get }
}

extension Responder {
    /// Most answer for the gateway alone.
    public var isProxy: Bool { false }
}

/// Begins an answer: the receiver gets it once, at once or later; what is returned cancels that until then.
package typealias Relaying = (_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void

/// A responder that answers on a loop without a task.
package protocol LoopResponder: Responder {
    /// What begins the answer to a request, to be called on the loop's thread; nil where the responder declines, or must
    /// be awaited.
    func relaying(_ request: Request) -> Relaying?
}
