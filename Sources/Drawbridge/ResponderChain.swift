/// Several responders in a row; the first that answers wins.
struct ResponderChain: Responder {
    let responders: [any Responder]

    init(_ responders: [any Responder]) { self.responders = responders }

    func respond(to request: Request) async throws -> Response? {
        for responder in responders {
            if let response = try await responder.respond(to: request) { return response }
        }
        return nil
    }
}
