// swift run Notes
// curl -d '{"text":"buy milk"}' http://127.0.0.1:8080/__jsbridge__/notes
import Drawbridge
import DrawbridgeCommand

/// What all requests share: made once, and safe to use from many at a time.
actor Notebook {
    private var notes: [String] = []

    func add(_ note: String) -> [String] {
        notes.append(note)
        return notes
    }
}

/// Made for each request, and given the notebook.
struct NotesHandler: JSONHandler {
    struct Input: Decodable { var text: String }
    struct Output: Encodable { var notes: [String] }

    let notebook: Notebook

    func handle(_ input: Input) async throws -> Output {
        guard !input.text.isEmpty else { throw HTTPError(.badRequest, "text: write something") }
        return Output(notes: await notebook.add(input.text))
    }
}

@main
struct Notes {
    static func main() async throws {
        try await GatewayCommand.run { gateway in
            let notebook = Notebook()
            gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
        }
    }
}
