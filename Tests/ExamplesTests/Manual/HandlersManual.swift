import Drawbridge
import Testing

struct OrderHandler: JSONHandler {
    struct Input: Decodable { var id: Int }
    struct Output: Encodable {
        var id: Int
        var state: String
    }

    static var methods: [HTTPRequest.Method]? { [.get] }

    func handle(_ input: Input) async throws -> Output {
        guard input.id != 0 else { throw HTTPError(.notFound, "there is no order \(input.id)") }
        return Output(id: input.id, state: "sent")
    }
}

struct CancelOrderHandler: JSONHandler {
    struct Input: Decodable { var id: Int }

    static var methods: [HTTPRequest.Method]? { [.delete] }

    func handle(_ input: Input) async throws -> Nothing { Nothing() }
}

struct Member: Sendable { var name: String }

struct MembersOnly: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
        guard let name = request.cookies["member"] else { throw HTTPError(.unauthorized, "log in first") }
        var request = request
        request[Member.self] = Member(name: name)
        return await next(request)
    }
}

struct CartHandler: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> String {
        "the cart of \(request[Member.self]?.name ?? "nobody")"
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
        var request = Request(method, "\(path)?_mobile_bridge=1", body: .init(method == .post ? "12345" : ""))
        request.headers[.cookie] = cookie
        let response = await gateway.respond(to: request)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    @Test func aHandlerReadsWhatItsPathStandsFor() async throws {
        try gateway.register(OrderHandler.self, at: "/order/:id")
        try gateway.register(CancelOrderHandler.self, at: "/order/:id")

        #expect(try await text("/order/7") == #"{"code":200,"data":{"id":7,"state":"sent"},"message":""}"#)
        #expect(try await text("/order/0") == #"{"code":404,"message":"there is no order 0"}"#)
        #expect(try await text("/order/7", method: .delete) == #"{"code":200,"message":""}"#)
    }

    @Test func aGroupLetsMembersInAlone() async throws {
        let members = gateway.group(MembersOnly())
        try members.register(CartHandler.self, at: "/cart")

        #expect(try await text("/cart") == #"{"code":401,"message":"log in first"}"#)
        #expect(try await text("/cart", cookie: "member=Ann").contains(#""the cart of Ann""#))
    }

    @Test func aClosureHandsOverWhatIsShared() async throws {
        let visits = Visits()
        try gateway.register(at: "/visit") { request in VisitHandler(request: request, visits: visits) }

        #expect(try await text("/visit") == #"{"code":200,"data":1,"message":""}"#)
        #expect(try await text("/visit") == #"{"code":200,"data":2,"message":""}"#)
    }

    @Test func aHandlerThatWaitsForNothingAnswersAtOnce() async throws {
        try gateway.register(PingHandler.self, at: "/ping")
        #expect(try await text("/ping") == "pong")
    }

    @Test func aHandlerStreamsBothWays() async throws {
        try gateway.register(CountdownHandler.self, at: "/countdown")
        try gateway.register(UploadHandler.self, at: "/upload")
        #expect(try await text("/countdown") == "data: 3\n\ndata: 2\n\ndata: 1\n\n")
        #expect(try await text("/upload", method: .post) == #"{"code":200,"data":{"bytes":5},"message":""}"#)
    }

    @Test func aHandlerSendsOnWhatItChanged() async throws {
        try gateway.register(GermanHandler.self, at: "/terms.html")
        #expect(try await text("/terms.html") == "/de/terms.html")
    }

    @Test func aHandlerThatDeclinesLeavesTheRequestToTheNext() async throws {
        try gateway.register(NewSearchHandler.self, at: "/search")
        try gateway.register(AnyPageHandler.self, at: "/:page")

        #expect(try await text("/search", cookie: "beta=1") == "new")
        #expect(try await text("/search") == "any")
    }

    @Test func aHandlerSaysHowItWantsToRun() async throws {
        try gateway.register(ReportHandler.self, at: "/report")
        #expect(try await text("/report", method: .post) == #"{"code":200,"data":500500,"message":""}"#)
        #expect(try await text("/report").hasPrefix(#"{"code":405,"message":"/report has no handler"#))
    }
}
