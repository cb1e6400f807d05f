import Drawbridge

/// Asks the page that called it by its channel, and answers with what that says.
struct AsksBack: JSONHandler {
    let request: Request

    func handle(_ input: JSON) async throws -> JSON {
        guard let page = request.page else { throw HTTPError(.badRequest, "only a page can be asked back") }
        return try await page.call("answer", input)
    }
}

/// Asks the person who looks at the page that called it.
struct AsksPerson: JSONHandler {
    static let options = HandlerOptions(deadline: nil)
    let request: Request

    func handle(_ input: JSON?) async throws -> JSON? {
        try await request.present(Question("asks", choices: ["ok", "cancel"], overPage: true))
    }
}
