import HTTPTypes
import Logging

// How answers and errors look at the doors with an envelope (design: what a handler decides, or is decided for it,
// follows `replies`; what is refused before there is a handler has its true status, with the same object).
extension Gateway {
    /// The answer of a handler, dressed for the door.
    func reply(_ response: Response) throws -> Response {
        var response = response
        try Self.checkHeaders(of: response)
        if case .output(let output) = response.body {
            response.body = .bytes(Envelope.success(output, code: response.status.code))
            response.headers[.contentType] = contentType
            if replies == .envelope { response.status = .ok }
        }
        Self.addSafety(to: &response)
        return response
    }

    /// An error that a handler threw, or that is answered in its place.
    func reply(_ error: HTTPError) -> Response {
        var response = Response(
            replies == .http ? error.status : .ok, headers: error.headers,
            body: .bytes(Envelope.failure(error)))
        response.code = error.code
        response.headers[.contentType] = contentType
        Self.addSafety(to: &response)
        return response
    }

    /// A refusal before there is a handler: its true status.
    func refusal(_ error: HTTPError, of request: Request) -> Response {
        logger.warning(
            "\(request.method) \(request.path) refused: \(error.message)",
            metadata: ["request": .string(request.id)])
        var response = Self.refusal(error)
        response.answeredBy = "refused"
        return response
    }

    /// The answer to what is refused, by the gateway or by the engine below it.
    package static func refusal(_ error: HTTPError) -> Response {
        var response = Response(error.status, headers: error.headers, body: .bytes(Envelope.failure(error)))
        response.headers[.contentType] = "application/json"
        addSafety(to: &response)
        return response
    }

    /// The error as the page sees it; what is no `HTTPError` is told to the log alone.
    func known(_ error: any Error, in place: String, _ request: Request) -> HTTPError {
        if let error = error as? HTTPError {
            if error.status.kind == .serverError { request.logger.error("\(place): \(error.message)") }
            return error
        }
        if error is CancellationError {
            return HTTPError(.internalServerError, "\(place) was cancelled")
        }
        request.logger.error("\(place) failed: \(String(reflecting: error))")
        return HTTPError(
            .internalServerError, "\(place) failed; the log has the reason under request \(request.id)")
    }

    private var contentType: String { replies == .http ? "application/json" : "text/json" }

    /// Not cacheable, and of no use to a foreign page that includes it as a script or an image.
    static func addSafety(to response: inout Response) {
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
    }

    /// http-types replaces what may not stand in a value; a handler that tried to smuggle a line should hear of it.
    private static func checkHeaders(of response: Response) throws {
        for field in response.headers
        where field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            throw HTTPError(
                .internalServerError, "the header \(field.name) has a control character; encode its value")
        }
    }
}
