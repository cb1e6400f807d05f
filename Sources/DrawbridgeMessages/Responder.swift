/// Answers requests that are not for native, or declines them: files, the page's own server.
public protocol Responder: Sendable {
    /// Answers, or returns nil to leave the request to the next in line.
    ///
    /// - Throws: an ``HTTPError`` to refuse the request with that status.
    func respond(to request: Request) async throws -> Response?
}

/// Begins an answer: the receiver gets it once, at once or later; what is returned cancels that until then.
package typealias Relaying = (_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void

/// A responder that answers on a loop without a task.
package protocol LoopResponder: Responder {
    /// What begins the answer to a request, to be called on the loop's thread; nil where the responder declines, or must
    /// be awaited.
    func relaying(_ request: Request) -> Relaying?
}

/// Several responders in a row; the first that answers wins.
package struct ResponderChain: LoopResponder {
    private let responders: [any Responder]
    /// The one that is asked first, where it can answer without a task.
    private let first: (any LoopResponder)?

    package init(_ responders: [any Responder]) {
        self.responders = responders
        first = responders.first as? any LoopResponder
    }

    package func respond(to request: Request) async throws -> Response? {
        for responder in responders {
            if let response = try await responder.respond(to: request) { return response }
        }
        return nil
    }

    package func relaying(_ request: Request) -> Relaying? { first?.relaying(request) }
}
