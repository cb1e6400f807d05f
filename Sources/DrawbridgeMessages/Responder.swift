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

/// A responder that answers on a loop without a task.
package protocol LoopResponder: Responder {
    /// How to begin the answer to a request; nil where it declines, or has to be awaited.
    ///
    /// To be begun on the loop's thread, where `tell` is called once, unless what is returned was called before.
    func relaying(_ request: Request) -> ((_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void)?
}
