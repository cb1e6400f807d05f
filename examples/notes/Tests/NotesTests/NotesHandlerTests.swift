import DrawbridgeCommand
import Testing

@testable import Notes

/// A handler is tested in process, as a page would call it: no socket, no port.
@Suite struct NotesHandlerTests {
    let gateway = Gateway()

    init() throws {
        let notebook = Notebook()
        try gateway.register(at: "/notes") { NotesHandler(notebook: notebook) }
    }

    @Test func keepsNotes() async throws {
        _ = try await call(#"{"text":"buy milk"}"#)
        let reply = try await call(#"{"text":"buy bread"}"#)
        #expect(reply == ["code": 200, "data": ["notes": ["buy milk", "buy bread"]], "message": ""])
    }

    @Test func namesTheFieldThatIsMissing() async throws {
        let reply = try await call("{}")
        #expect(reply["code"] == 400)
        #expect(reply["message"]?.stringValue?.contains("text") == true)
    }

    /// Without the gateway, where only the work counts.
    @Test func refusesNothing() async throws {
        let handler = NotesHandler(notebook: Notebook())
        await #expect(throws: HTTPError.self) { try await handler.handle(.init(text: "")) }
    }

    private func call(_ body: String) async throws -> JSON {
        let request = Request(.post, "/__jsbridge__/notes", body: .init(body))
        return try JSON(parsing: await gateway.respond(to: request).body.collect())
    }
}
