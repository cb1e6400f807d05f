import Drawbridge

/// All that the server and the tests use of this library.
public func registerHandlers(on gateway: Gateway) throws {
    let notebook = Notebook()
    try gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
}

/// Keeps a note, and answers with all of them; made for each request.
struct NotesHandler: JSONHandler {
    struct Input: Decodable { var text: String }
    struct Output: Encodable { var notes: [String] }

    let notebook: Notebook

    func handle(_ input: Input) async throws -> Output {
        guard !input.text.isEmpty else { throw HTTPError(.badRequest, "text: write something") }
        return Output(notes: await notebook.add(input.text))
    }
}
