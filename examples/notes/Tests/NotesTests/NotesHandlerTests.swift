import DrawbridgeTesting
import Testing

@testable import Notes

/// A handler is tested in process, as a page would call it: no socket, no port.
@Suite struct NotesHandlerTests {
    let gateway = Gateway()

    init() throws {
        let notebook = Notebook()
        try gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
    }

    @Test func notesAreKept() async throws {
        _ = await gateway.call("/notes", ["text": "buy milk"])
        let output = try await gateway.call("/notes", ["text": "buy bread"]).output()
        #expect(output == ["notes": ["buy milk", "buy bread"]])
    }

    @Test func aMissingFieldIsNamed() async throws {
        let error = await #expect(throws: HTTPError.self) { try await gateway.call("/notes").output() }
        #expect(error?.code == 400)
        #expect(error?.message.contains("text") == true)
    }

    /// Without the gateway, where only the work matters.
    @Test func anEmptyNoteIsRefused() async throws {
        let handler = NotesHandler(notebook: Notebook())
        await #expect(throws: HTTPError.self) { try await handler.handle(.init(text: "")) }
    }
}
