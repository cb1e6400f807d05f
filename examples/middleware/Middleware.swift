// swift run middleware
// curl -i -H 'Authorization: Bearer open-sesame' 'http://127.0.0.1:8080/echo?_mobile_bridge=1&message=Hello'
import Drawbridge
import DrawbridgeCommand

/// Lets nobody through without the token, not even to the page.
///
/// One that guesses could measure how far two strings are equal; `Gateway(access: AccessPolicy(requiresToken: true))`
/// has a token of its own that is compared in constant time.
struct TokenRequired: Middleware {
    let token: String

    func handle(_ request: Request, next: Next) async throws -> Response {
        guard request.headers[.authorization] == "Bearer \(token)" else {
            throw HTTPError(
                .unauthorized, "send Authorization: Bearer with the token",
                headers: [.wwwAuthenticate: "Bearer"])
        }
        return await next(request)
    }
}

/// Tells the browser's developer tools how long an answer took; the handler's own time is there already.
struct Timing: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
        let start = ContinuousClock.now
        var response = await next(request)
        let milliseconds = start.duration(to: .now) / .milliseconds(1)
        response.headers.append(HTTPField(name: .serverTiming, value: "gateway;dur=\(milliseconds)"))
        return response
    }
}

/// Logs what goes wrong, with the id that the caller sees as `X-Request-Id`.
struct ErrorLogging: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
        let response = await next(request)
        if response.status.code >= 400 {
            request.logger.warning("\(request.method) \(request.path) was answered with \(response.status)")
        }
        return response
    }
}

@main
struct Program {
    static func main() async throws {
        // The first is the outermost: it sees what the others made of it.
        try await GatewayCommand.run(
            middleware: [ErrorLogging(), Timing(), TokenRequired(token: "open-sesame")]
        ) { _ in }
    }
}
