import DrawbridgeTesting
import NotesHandlers
import Testing

/// A handler is tested in process, as a page would call it: no socket, no port.
@Suite struct NotesHandlerTests {
    let gateway = Gateway()

    init() throws { try registerHandlers(on: gateway) }

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

    @Test func anEmptyNoteIsRefused() async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await gateway.call("/notes", ["text": ""]).output()
        }
        #expect(error?.message == "text: write something")
    }
}
