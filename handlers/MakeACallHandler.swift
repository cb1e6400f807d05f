public import Drawbridge

/// Asks the person whether to call a number, and answers `{"result":"ok"}` or `{"result":"cancel"}`.
///
/// ```
/// curl 'http://127.0.0.1:8080/makeACall?_mobile_bridge=1&number=10086'
/// ```
public struct MakeACallHandler: JSONHandler {
    /// Whom to call: a string, but a page may send a number.
    public struct Input: Decodable, Sendable {
        var number: JSON
    }

    /// What the person decided.
    public struct Output: Encodable, Sendable {
        var result: String
    }

    /// A person may take their time.
    public static var deadline: Duration? { nil }

    private let request: Request

    /// Made for each request.
    public init(request: Request) { self.request = request }

    /// Asks for the call.
    ///
    /// - Throws: a 400 for a number that nobody could read.
    public func handle(_ input: Input) async throws -> Output {
        guard let number = input.number.stringValue ?? input.number.numberValue?.literal,
            number.unicodeScalars.count <= 40
        else { throw HTTPError(.badRequest, "number: write a string or a number, of at most 40 characters") }
        let question = Question("makeACall", title: "Call", message: number, choices: ["ok", "cancel"])
        let answer = try await request.present(question)
        return Output(result: answer?.stringValue ?? "cancel")
    }
}
