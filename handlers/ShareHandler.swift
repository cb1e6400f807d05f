import Drawbridge

/// Asks the person whether to share something, and answers with the outcome: `{"statusCode":1}`.
///
/// ```
/// curl -d '{"title":"Drawbridge","content":"Look at this","url":"https://example.com"}' \
///     http://127.0.0.1:8080/__jsbridge__/share
/// ```
public struct ShareHandler: JSONHandler {
    /// The content to share; other members are ignored.
    public struct Input: Decodable, Sendable {
        var title: String?
        var content: String?
        var url: String?
    }

    /// The outcome: 0 failed, 1 done, 2 cancelled.
    public struct Output: Encodable, Sendable {
        var statusCode: Int
    }

    /// A person may take their time.
    public static let options = HandlerOptions(deadline: nil)

    private let request: Request

    /// Makes a handler for a request.
    public init(request: Request) { self.request = request }

    /// Shows the content and asks for the outcome; nothing is shared.
    ///
    /// - Throws: a `CancellationError` if the page has gone.
    public func handle(_ input: Input) async throws -> Output {
        let message = [input.content, input.url].compactMap(\.self).joined(separator: "  ")
        let question = Question(
            "share", title: input.title ?? "", message: message, choices: ["done", "cancel", "fail"],
            overPage: true)
        switch try await request.present(question) {
        case "done": return Output(statusCode: 1)
        case "fail": return Output(statusCode: 0)
        default: return Output(statusCode: 2)
        }
    }
}
