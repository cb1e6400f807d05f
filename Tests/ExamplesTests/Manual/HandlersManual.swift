import Drawbridge
import Testing

struct OrderHandler: JSONHandler {
    struct Output: Encodable {
        var id: String
        var state: String
    }

    let request: Request

    func handle(_ input: Nothing) async throws -> Output {
        let id = request.parameters["id"] ?? ""
        guard id != "0" else { throw HTTPError(.notFound, "there is no order \(id)") }
        return Output(id: id, state: "sent")
    }
}

actor Visits {
    private var count = 0

    func add() -> Int {
        count += 1
        return count
    }
}

struct VisitHandler: JSONHandler {
    let request: Request
    let visits: Visits

    func handle(_ input: Nothing) async throws -> Int {
        request.logger.info("a visit")
        return await visits.add()
    }
}

struct PingHandler: SynchronousHandler {
    func respond(to request: Request) -> Response { Response(text: "pong") }
}

struct CountdownHandler: Handler {
    func startLoading(_ request: Request) async throws -> Response {
        Response(contentType: "text/event-stream") { client in
            for second in [3, 2, 1] {
                try await client.didLoad("data: \(second)\n\n")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

struct UploadHandler: Handler {
    static var bodyMode: BodyMode { .streamed }

    func startLoading(_ request: Request) async throws -> Response {
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return try Response(output: ["bytes": count])
    }
}

struct GermanHandler: Handler {
    func startLoading(_ request: Request) async throws -> Response {
        var request = request
        request.path = "/de" + request.path
        return try await request.passThrough()
    }
}

struct NewSearchHandler: Handler {
    static func canInit(with request: Request) -> Bool { request.cookies["beta"] == "1" }

    func startLoading(_ request: Request) async throws -> Response { Response(text: "new") }
}

struct AnyPageHandler: Handler {
    func startLoading(_ request: Request) async throws -> Response { Response(text: "any") }
}

struct ReportHandler: JSONHandler {
    static var execution: Execution { .thread }
    static var deadline: Duration? { .seconds(300) }
    static var methods: [HTTPRequest.Method]? { [.post] }

    func handle(_ input: Nothing) async throws -> Int { (1...1000).reduce(0, +) }
}

@Suite struct HandlersManual {
    /// Tells which path it was asked for, in place of files.
    private struct Behind: Responder {
        func respond(to request: Request) async throws -> Response? { Response(text: request.path) }
    }

    private let gateway = Gateway(passThrough: [Behind()])

    private func text(
        _ path: String, method: HTTPRequest.Method = .get, cookie: String? = nil
    ) async throws -> String {
        var request = Request(method, "\(path)?_mobile_bridge=1", body: .init("12345"))
        request.headers[.cookie] = cookie
        let response = await gateway.respond(to: request)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    @Test func aHandlerReadsWhatItsPathStandsFor() async throws {
        gateway.register(OrderHandler.self, at: "/order/:id")
        #expect(try await text("/order/7") == #"{"code":200,"data":{"id":"7","state":"sent"},"message":""}"#)
        #expect(try await text("/order/0") == #"{"code":404,"message":"there is no order 0"}"#)
    }

    @Test func aClosureHandsOverWhatIsShared() async throws {
        let visits = Visits()
        gateway.register(at: "/visit") { request in VisitHandler(request: request, visits: visits) }

        #expect(try await text("/visit") == #"{"code":200,"data":1,"message":""}"#)
        #expect(try await text("/visit") == #"{"code":200,"data":2,"message":""}"#)
    }

    @Test func aHandlerThatWaitsForNothingAnswersAtOnce() async throws {
        gateway.register(PingHandler.self, at: "/ping")
        #expect(try await text("/ping") == "pong")
    }

    @Test func aHandlerStreamsBothWays() async throws {
        gateway.register(CountdownHandler.self, at: "/countdown")
        gateway.register(UploadHandler.self, at: "/upload")
        #expect(try await text("/countdown") == "data: 3\n\ndata: 2\n\ndata: 1\n\n")
        #expect(try await text("/upload", method: .post) == #"{"code":200,"data":{"bytes":5},"message":""}"#)
    }

    @Test func aHandlerSendsOnWhatItChanged() async throws {
        gateway.register(GermanHandler.self, at: "/terms.html")
        #expect(try await text("/terms.html") == "/de/terms.html")
    }

    @Test func aHandlerThatDeclinesLeavesTheRequestToTheNext() async throws {
        gateway.register(NewSearchHandler.self, at: "/search")
        gateway.register(AnyPageHandler.self, at: "/:page")

        #expect(try await text("/search", cookie: "beta=1") == "new")
        #expect(try await text("/search") == "any")
    }

    @Test func aHandlerSaysHowItWantsToRun() async throws {
        gateway.register(ReportHandler.self, at: "/report")
        #expect(try await text("/report", method: .post) == #"{"code":200,"data":500500,"message":""}"#)
        #expect(try await text("/report").hasPrefix(#"{"code":405,"message":"/report has no handler"#))
    }
}
