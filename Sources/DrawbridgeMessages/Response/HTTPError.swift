/// An error that becomes an answer, with a code, a message for the page, and header fields.
///
/// At the bridges with an envelope the page reads `{"code": …, "message": …, "data": …}`; with ``AnswerForm/http`` the
/// code is the HTTP status too. Write the message for the person who has to correct the request.
///
/// ```swift
/// throw HTTPError(.notFound, "there is no order \(id); ask /orders for those that there are")
/// ```
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The HTTP status of the response; with ``AnswerForm/envelope`` that is 200, unless the request is refused before
    /// a handler is chosen.
    public var status: HTTPResponse.Status

    /// The `code` of the envelope; the status' number unless the handler has codes of its own.
    public var code: Int

    /// What went wrong and what to do about it, sent to the page as it is.
    public var message: String

    /// Details for the page, the `data` of the envelope; nil leaves it out.
    public var data: JSON?

    /// Further header fields of the response, for instance `Allow` with a 405.
    public var headers: HTTPFields

    /// Makes an error; without a `code`, the envelope has the number of the status.
    public init(
        _ status: HTTPResponse.Status, _ message: String, code: Int? = nil, data: JSON? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code ?? status.code
        self.message = message
        self.data = data
        self.headers = headers
    }

    /// The code and the message, as a log line shows them.
    public var description: String { "\(code) \(message)" }

    @usableFromInline package static func nothingBehind(_ path: String) -> HTTPError {
        HTTPError(
            .notFound,
            "nothing at \(path): no file and no upstream answers this path")
    }

    package static func tooLarge(_ limit: Int) -> HTTPError {
        HTTPError(.contentTooLarge, "the body is larger than the limit of \(limit) bytes")
    }
}
