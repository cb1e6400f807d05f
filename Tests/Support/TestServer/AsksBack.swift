import Drawbridge

/// Asks the page that called it by its channel, and answers with what that says.
struct AsksBack: JSONHandler {
    let request: Request

    func handle(_ input: JSON) async throws -> JSON {
        guard let page = request.page else { throw HTTPError(.badRequest, "only a page can be asked back") }
        return try await page.call("answer", input)
    }
}
