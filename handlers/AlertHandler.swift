import Drawbridge

/// Shows a message over the page that asks, and answers with the button that was pressed: `{"result":"ok"}` or
/// `{"result":"cancel"}`.
///
/// ```
/// curl 'http://127.0.0.1:8080/alert?_mobile_bridge=1&message=Delete%3F'
/// ```
public struct AlertHandler: JSONHandler {
    /// The text to show; both members are optional.
    public struct Input: Decodable, Sendable {
        var title: String?
        var message: String?
    }

    /// The choice: `ok` or `cancel`.
    public struct Output: Encodable, Sendable {
        var result: String
    }

    /// A person may take their time.
    public static let options = HandlerOptions(deadline: nil)

    private let request: Request

    /// Makes a handler for a request.
    public init(request: Request) { self.request = request }

    /// Shows the message and waits for the choice.
    ///
    /// - Throws: a `CancellationError` if the page has gone.
    public func handle(_ input: Input) async throws -> Output {
        let question = Question(
            "alert", title: input.title ?? "", message: input.message ?? "", choices: ["ok", "cancel"],
            overPage: true)
        let answer = try await request.present(question)
        return Output(result: answer?.stringValue ?? "cancel")
    }
}
