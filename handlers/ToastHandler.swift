import Drawbridge

/// Shows a short message and answers at once, without asking anybody.
///
/// ```
/// curl 'http://127.0.0.1:8080/toast?_mobile_bridge=1&message=Saved'
/// ```
public struct ToastHandler: JSONHandler {
    /// The text to show.
    public struct Input: Decodable, Sendable {
        var message: String
    }

    private let request: Request

    /// Makes a handler for a request.
    public init(request: Request) { self.request = request }

    /// Shows the text.
    ///
    /// - Throws: a `CancellationError` if the page has gone.
    public func handle(_ input: Input) async throws -> Nothing {
        _ = try await request.present(Question("toast", message: input.message, overPage: true))
        return Nothing()
    }
}
