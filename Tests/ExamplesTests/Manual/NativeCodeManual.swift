import Drawbridge
import DrawbridgeTesting
import Testing

struct MakeACallHandler: JSONHandler {
    func handle(_ input: Nothing) async throws -> Bool { true }
}

@Suite(.timeLimit(.minutes(5))) struct NativeCodeManual {
    @Test func somePagesHaveHandlersByTheirID() async throws {
        let gateway = Gateway()
        try gateway.pages(id: "7") { try $0.register(MakeACallHandler.self, at: "/makeACall") }
        #expect(try await PlayedPage(gateway, at: "/shop?pageId=7").call("makeACall") == true)
        let other = PlayedPage(gateway, at: "/shop?pageId=8")
        await #expect(throws: HTTPError.self) { try await other.call("makeACall") }
    }
}
