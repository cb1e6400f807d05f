/// Answers requests that are not for native, or declines them: files, the page's own server.
public protocol Responder: Sendable {
    /// Answers, or returns nil to leave the request to the next responder.
    ///
    /// - Throws: an ``HTTPError`` to refuse the request with that status.
    func respond(to request: Request) async throws -> Response?
}

/// Starts an answer, and returns a function that cancels it; `tell` gets the response once, at once or later.
package typealias Relaying = (_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void

package protocol LoopResponder: Responder {
    /// A function that starts the answer, to be called on the loop's thread; nil if the responder declines, or needs a
    /// task.
    func relaying(_ request: Request) -> Relaying?
}

/// Several responders in a row; the first that answers wins.
package final class ResponderChain: LoopResponder {
    private let responders: [any Responder]
    /// The first responder, if it can answer without a task.
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
