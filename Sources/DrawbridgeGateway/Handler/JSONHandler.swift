/// A handler with typed input and output.
///
/// ```swift
/// struct LoginHandler: JSONHandler {
///     struct Input: Decodable { var user: String }
///     struct Output: Encodable { var token: String }
///
///     func handle(_ input: Input) async throws -> Output { Output(token: try await issueToken(input.user)) }
/// }
/// ```
///
/// `Input` is read from query and body alike: JSON, or a form; the body wins. What does not fit is a 400 that names
/// the field. Use ``Nothing`` where there is no input or no output.
public protocol JSONHandler: Handler {
    /// The type of the input that the page sends; ``Nothing`` if there is none.
    associatedtype Input: Decodable & Sendable
    /// The type of the output that the page gets; ``Nothing`` if there is none.
    associatedtype Output: Encodable & Sendable

    /// Answers a call with this input.
    ///
    /// - Throws: an ``HTTPError`` to answer with its code and message.
    func handle(_ input: Input) async throws -> Output

    /// The `message` in the envelope of this output, for the person at the page; empty by default.
    func message(for output: Output) -> String
}

extension JSONHandler {
    /// An empty message.
    public func message(for output: Output) -> String { "" }

    /// Reads the input, does the work, and answers with the output.
    ///
    /// - Throws: a 400 for an input that does not fit; what ``handle(_:)`` throws.
    public func handle(_ request: Request) async throws -> Response {
        // The body is nearly always collected already, and then reading it is cheaper without an `await`.
        guard let body = request.promptBody(for: Input.self) else {
            return try response(of: try await handle(try await request.input(as: Input.self)))
        }
        return try response(of: try await handle(try request.decodeInput(body)))
    }

    private func response(of output: Output) throws -> Response {
        try Response(output: output, message: message(for: output))
    }
}
