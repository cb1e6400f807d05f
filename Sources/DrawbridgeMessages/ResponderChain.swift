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
