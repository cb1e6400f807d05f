public import Drawbridge

/// Asks the person to pay, and answers `{"result":"ok"}` or `{"result":"cancel"}`; no money moves.
///
/// ```
/// curl -d '{"type":"book","price":"12.50"}' http://127.0.0.1:8080/__jsbridge__/pay
/// ```
public struct PayHandler: JSONHandler {
    /// What is bought, and for how much: strings, but a page may send the price as a number.
    public struct Input: Decodable, Sendable {
        var type: String
        var price: JSON
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

    /// Asks for the payment.
    ///
    /// - Throws: a 400 for a price that nobody could read.
    public func handle(_ input: Input) async throws -> Output {
        // A person reads the beginning of a question, so a long text in place of the price could hide what is paid. A
        // price is short.
        guard let price = input.price.stringValue ?? input.price.numberValue?.literal,
            price.unicodeScalars.count <= 40
        else { throw HTTPError(.badRequest, "price: write a string or a number, of at most 40 characters") }
        let question = Question(
            "pay", title: "Pay", message: "\(price) for \(input.type)", choices: ["ok", "cancel"])
        let answer = try await request.present(question)
        return Output(result: answer?.stringValue ?? "cancel")
    }
}
