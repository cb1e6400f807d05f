/// Several responders in a row; the first that answers wins.
package struct ResponderChain: Responder {
    package let responders: [any Responder]

    package init(_ responders: [any Responder]) { self.responders = responders }

    package func respond(to request: Request) async throws -> Response? {
        for responder in responders {
            if let response = try await responder.respond(to: request) { return response }
        }
        return nil
    }
}
