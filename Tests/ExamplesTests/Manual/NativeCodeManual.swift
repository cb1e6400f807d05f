import Drawbridge
import DrawbridgeTesting
import Testing

/// An app's own class, with a callback that comes once and later.
final class Locator: Sendable {
    func locate(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
        Task { completion(.success("59.33,18.07")) }
    }
}

struct LocateHandler: JSONHandler {
    static let options = HandlerOptions(deadline: nil)

    let locator: Locator

    func handle(_ input: Nothing) async throws -> String {
        try await withCheckedThrowingContinuation { answer in
            locator.locate { result in answer.resume(with: result) }
        }
    }
}

@MainActor final class Pasteboard {
    var text = ""
}

struct CopyHandler: JSONHandler {
    struct Input: Decodable { var text: String }

    let pasteboard: Pasteboard

    @MainActor func handle(_ input: Input) async throws -> Nothing {
        pasteboard.text = input.text
        return Nothing()
    }
}

struct MakeACallHandler: JSONHandler {
    func handle(_ input: Nothing) async throws -> Bool { true }
}

@Suite(.timeLimit(.minutes(5))) struct NativeCodeManual {
    @Test func aCallbackIsAwaited() async throws {
        let gateway = Gateway()
        let locator = Locator()
        try gateway.register(at: "/requestLocation") { LocateHandler(locator: locator) }
        #expect(try await gateway.call("/requestLocation").output() == "59.33,18.07")
    }

    @Test @MainActor func aHandlerRunsOnTheMainActor() async throws {
        let gateway = Gateway()
        let pasteboard = Pasteboard()
        try gateway.register(at: "/copy") { CopyHandler(pasteboard: pasteboard) }
        _ = try await gateway.call("/copy", ["text": "Hello"]).output()
        #expect(pasteboard.text == "Hello")
    }

    @Test func somePagesHaveHandlersByTheirID() async throws {
        let gateway = Gateway()
        try gateway.pages(id: "7") { try $0.register(MakeACallHandler.self, at: "/makeACall") }
        #expect(try await PlayedPage(gateway, at: "/shop?pageId=7").call("makeACall") == true)
        let other = PlayedPage(gateway, at: "/shop?pageId=8")
        await #expect(throws: HTTPError.self) { try await other.call("makeACall") }
    }
}
