@_exported import DrawbridgeTesting
import HTTPTypes
import Logging
@_exported import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// A handler out of a closure.
struct Answering: Handler {
    let answer: @Sendable (Request) async throws -> Response

    init(_ answer: @escaping @Sendable (Request) async throws -> Response) { self.answer = answer }

    func handle(_ request: Request) async throws -> Response { try await answer(request) }
}

/// Answers with its input, whatever that is.
struct Echo: JSONHandler {
    func handle(_ input: JSON) async throws -> JSON { input }
}

/// Answers with a text that tells which handler this is.
struct Named: Handler {
    let name: String

    func handle(_ request: Request) async throws -> Response { Response(text: name) }
}

/// What lies behind a gateway: answers with the method and target that arrive there, and the path that it declines.
struct Behind: Responder {
    var declined: String?

    func respond(to request: Request) async throws -> Response? {
        if request.path == declined { return nil }
        return Response(text: "behind: \(request.method) \(request.head.path ?? "")")
    }
}

extension Gateway {
    /// A gateway that logs nothing, with an echo at `/echo`.
    static func testing(
        passThrough: [any Responder] = [], middleware: [any Middleware] = [],
        rules: [any InterceptionRule] = [.jsBridge, .flag()], answers: AnswerForm = .envelope,
        unhandled: Unhandled = .answer, access: AccessPolicy = AccessPolicy(), logger: Logger = .quiet
    ) -> Gateway {
        let gateway = Gateway(
            passThrough: passThrough, middleware: middleware, rules: rules, answers: answers,
            unhandled: unhandled, access: access, logger: logger)
        surely { try gateway.register(Echo.self, at: "/echo") }
        return gateway
    }

    /// Registers a closure as a handler.
    func answer(at path: String, _ answer: @escaping @Sendable (Request) async throws -> Response) {
        surely { try register(at: path) { Answering(answer) } }
    }

    /// The body of the answer to a flagged GET, as text.
    func text(at path: String) async throws -> String {
        try await respond(to: Request("\(path)?_mobile_bridge=1")).text()
    }
}
