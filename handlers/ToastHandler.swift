public import Drawbridge

/// Shows a short message and answers at once; nobody is asked.
///
/// ```
/// curl 'http://127.0.0.1:8080/toast?_mobile_bridge=1&message=Saved'
/// ```
public struct ToastHandler: JSONHandler {
    /// What is shown.
    public struct Input: Decodable, Sendable {
        var message: String
    }

    private let request: Request

    /// Made for each request.
    public init(request: Request) { self.request = request }

    /// Shows the message.
    ///
    /// - Throws: a `CancellationError` when the page has gone.
    public func handle(_ input: Input) async throws -> Nothing {
        _ = try await request.present(Question("toast", message: input.message))
        return Nothing()
    }
}
