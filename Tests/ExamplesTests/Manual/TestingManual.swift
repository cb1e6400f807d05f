import DrawbridgeServer
import DrawbridgeTesting
import Foundation
import FoundationNetworking
import Testing

@testable import hello

struct WaitingHandler: Handler {
    let started: AsyncStream<Void>.Continuation
    let stopped: AsyncStream<Void>.Continuation

    func handle(_ request: Request) async throws -> Response {
        started.finish()
        try await Task.sleep(for: .seconds(30))
        return Response(text: "too late")
    }

    func stopLoading() { stopped.finish() }
}

private struct PayHandler: JSONHandler {
    struct Input: Decodable { var price: String }

    let request: Request

    func handle(_ input: Input) async throws -> String {
        guard let page = request.page, try await page.call("agree", input.price, as: Bool.self) else {
            throw HTTPError(.forbidden, "the page does not agree", code: 7)
        }
        try page.emit("paid", input.price)
        return "paid \(input.price)"
    }
}

private struct RemoveHandler: JSONHandler {
    static let options = HandlerOptions(deadline: nil)

    let request: Request

    func handle(_ input: Nothing) async throws -> JSON? {
        try await request.present(Question("delete", choices: ["delete", "cancel"]))
    }
}

@Suite(.timeLimit(.minutes(5))) struct TestingManual {
    @Test func aTestCallsAHandlerInProcess() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")

        let output = try await gateway.call("/hello", ["name": "Ann"]).output()
        #expect(output == ["greeting": "Hello, Ann!"])
        for bridge in [RequestBridge.flag, .query, .jsBridge] {
            #expect(
                try await gateway.call("hello", ["name": "A&B="], by: bridge).output() == [
                    "greeting": "Hello, A&B=!"
                ])
        }
        let error = await #expect(throws: HTTPError.self) { try await gateway.call("nosuch").output() }
        #expect(error?.message == "No response")
        #expect(try await gateway.call("hello").json()["code"] == 200)
        let bare = Gateway(answers: .bare)
        try bare.register(HelloHandler.self, at: "/hello")
        #expect(try await bare.call("hello").output() == ["greeting": "Hello, world!"])
    }

    private struct CountdownHandler: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/event-stream") { client in
                for second in [3, 2, 1] { try await client.didLoad("data: \(second)\n\n") }
            }
        }
    }

    @Test func aTestReadsAStreamInChunks() async throws {
        let gateway = Gateway()
        try gateway.register(CountdownHandler.self, at: "/countdown")
        var seconds: [String] = []
        for try await chunk in await gateway.call("/countdown").chunks {
            seconds.append(String(decoding: chunk, as: UTF8.self))
        }
        #expect(seconds == ["data: 3\n\n", "data: 2\n\n", "data: 1\n\n"])
    }

    @Test func aTestPlaysAPage() async throws {
        let gateway = Gateway()
        try gateway.pages(matching: "/checkout") { try $0.register(PayHandler.self, at: "/pay") }
        let page = PlayedPage(gateway, at: "/checkout")
        let unheard = await #expect(throws: HTTPError.self) { try await page.call("pay", ["price": "3.50"]) }
        #expect(unheard?.code == 400 && unheard?.message == "the page has no handler for agree")
        #expect(page.asked == [.init("agree", "3.50")])

        page.on("agree") { price in .bool(price == "3.50") }
        let answer = try await page.call("pay", ["price": "3.50"])
        #expect(answer == "paid 3.50")
        #expect(page.asked.last == .init("agree", "3.50"))
        #expect(page.events.map(\.name) == ["paid"] && page.page?.url == "http://localhost/checkout")

        page.on("agree") { _ in false }
        let error = await #expect(throws: HTTPError.self) { try await page.call("pay", ["price": "3.50"]) }
        #expect(error?.code == 7 && error?.message == "the page does not agree")
        let other = PlayedPage(gateway, at: "/other")
        let missing = await #expect(throws: HTTPError.self) { try await other.call("pay", ["price": "3.50"]) }
        #expect(missing != nil)

        page.leave()
        await #expect(throws: CancellationError.self) { try await page.call("pay") }
        #expect(page.page?.presence == .leaving)
    }

    @Test func manyCallsOfAPageAtOnceAreAllAnswered() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")
        let page = PlayedPage(gateway)
        let greetings = try await withThrowingTaskGroup(of: JSON.self) { group in
            for number in 0..<200 {
                group.addTask { try await page.call("hello", ["name": .string("\(number)")]) }
            }
            return try await group.reduce(into: Set<JSON>()) { $0.insert($1) }
        }
        #expect(greetings.count == 200)

        // One that nobody answers ends with its task.
        try gateway.mock(["quiet": ["$silence": true]])
        let waiting = Task { try await page.call("quiet") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func aTestAnswersQuestionsAsAPerson() async throws {
        let person = RecordingPresenter(["delete": "delete"])
        let gateway = Gateway(presenter: person)
        try gateway.register(RemoveHandler.self, at: "/delete")
        #expect(try await gateway.call("/delete").output() == "delete")
        #expect(person.asked.map(\.name) == ["delete"])
    }

    @Test func aTestPostsABody() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")

        let request = Request(.post, "/__jsbridge__/hello", body: .init(#"{"name":"Ann"}"#))
        let response = await gateway.respond(to: request)
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/json")
        #expect(
            try await response.body.collect()
                == Array(#"{"code":200,"data":{"greeting":"Hello, Ann!"},"message":""}"#.utf8))
    }

    @Test func aHandlerIsStoppedWhenItsCallerLeaves() async throws {
        let (start, started) = AsyncStream.makeStream(of: Void.self)
        let (stop, stopped) = AsyncStream.makeStream(of: Void.self)
        let gateway = Gateway()
        try gateway.register(at: "/wait") { WaitingHandler(started: started, stopped: stopped) }

        let call = Task { await gateway.respond(to: Request("/wait?_mobile_bridge=1")) }
        for await _ in start {}
        call.cancel()
        // Goes on when stopLoading was called.
        for await _ in stop {}
    }

    @Test func aTestUsesARealSocket() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")

        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let url = try #require(URL(string: "\(server.address)/hello?_mobile_bridge=1&name=Ann"))
        let (data, _) = try await URLSession.shared.data(from: url)
        #expect(try JSON(parsing: Array(data))["data"]?["greeting"] == "Hello, Ann!")
        await server.stop()
    }
}
