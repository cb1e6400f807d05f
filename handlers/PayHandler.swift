import Drawbridge

/// Asks the person whether to pay, and answers `{"result":"ok"}` or `{"result":"cancel"}`; nothing is charged.
///
/// ```
/// curl -d '{"type":"book","price":"12.50"}' http://127.0.0.1:8080/__jsbridge__/pay
/// ```
public struct PayHandler: JSONHandler {
    /// The product and its price: strings; the price may also be a number in JSON.
    public struct Input: Decodable, Sendable {
        var type: String
        var price: JSON
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

    /// Asks for the payment.
    ///
    /// - Throws: an `HTTPError` 400 if the price is longer than 40 characters, or neither a string nor a number.
    public func handle(_ input: Input) async throws -> Output {
        // A person may read only the beginning of a question: a long text as the price could hide the rest of it.
        guard let price = input.price.stringValue ?? input.price.numberValue?.literal,
            price.unicodeScalars.count <= 40
        else { throw HTTPError(.badRequest, "price: write a string or a number, of at most 40 characters") }
        let question = Question(
            "pay", title: "Pay", message: "\(price) for \(input.type)", choices: ["ok", "cancel"],
            overPage: true)
        let answer = try await request.present(question)
        return Output(result: answer?.stringValue ?? "cancel")
    }
}
