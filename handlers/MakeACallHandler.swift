import Drawbridge

/// Asks the person whether to call a phone number, and answers `{"result":"ok"}` or `{"result":"cancel"}`.
///
/// ```
/// curl 'http://127.0.0.1:8080/makeACall?_mobile_bridge=1&number=10086'
/// ```
public struct MakeACallHandler: JSONHandler {
    /// The phone number: a string, or a number in JSON.
    public struct Input: Decodable, Sendable {
        var number: JSON
    }

    /// The decision: `ok` or `cancel`.
    public struct Output: Encodable, Sendable {
        var result: String
    }

    /// A person may take their time.
    public static let options = HandlerOptions(deadline: nil)

    private let request: Request

    /// Makes a handler for a request.
    public init(request: Request) { self.request = request }

    /// Asks whether to call the number; no call is made.
    ///
    /// - Throws: an `HTTPError` 400 if the number is longer than 40 characters, or neither a string nor a number.
    public func handle(_ input: Input) async throws -> Output {
        guard let number = input.number.stringValue ?? input.number.numberValue?.literal,
            number.unicodeScalars.count <= 40
        else { throw HTTPError(.badRequest, "number: write a string or a number, of at most 40 characters") }
        let question = Question("makeACall", title: "Call", message: number, choices: ["ok", "cancel"])
        let answer = try await request.present(question)
        return Output(result: answer?.stringValue ?? "cancel")
    }
}
