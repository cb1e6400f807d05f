import DrawbridgeCommand

// The handlers of the manual's "Writing a handler", whose curl lines ask them: swift run handler-kinds

struct OrderHandler: JSONHandler {
    struct Input: Decodable { var id: Int }
    struct Output: Encodable {
        var id: Int
        var state: String
    }

    static let options = HandlerOptions(methods: [.get])

    func handle(_ input: Input) async throws -> Output {
        guard input.id != 0 else { throw HTTPError(.notFound, "there is no order \(input.id)") }
        return Output(id: input.id, state: "sent")
    }
}

struct CancelOrderHandler: JSONHandler {
    struct Input: Decodable { var id: Int }

    static let options = HandlerOptions(methods: [.delete])

    func handle(_ input: Input) async throws -> Nothing { Nothing() }
}

struct AppHandler: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> String? { request.headers[.userAgent] }
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
    func handle(_ request: Request) -> Response { Response(text: "pong") }
}

struct CountdownHandler: Handler {
    func handle(_ request: Request) async throws -> Response {
        Response(contentType: "text/event-stream") { client in
            for second in [3, 2, 1] {
                try await client.didLoad("data: \(second)\n\n")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}

struct UploadHandler: Handler {
    static let options = HandlerOptions(body: .streamed)

    func handle(_ request: Request) async throws -> Response {
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return try Response(output: ["bytes": count])
    }
}

struct GermanHandler: Handler {
    func handle(_ request: Request) async throws -> Response {
        var request = request
        request.path = "/de" + request.path
        return try await request.passThrough()
    }
}

struct NewSearchHandler: Handler {
    static func canInit(with request: Request) -> Bool { request.cookies["beta"] == "1" }

    func handle(_ request: Request) async throws -> Response { Response(text: "new") }
}

struct AnyPageHandler: Handler {
    func handle(_ request: Request) async throws -> Response { Response(text: "any") }
}

struct ReportHandler: JSONHandler {
    static let options = HandlerOptions(methods: [.post], deadline: .seconds(300), execution: .thread)

    func handle(_ input: Nothing) async throws -> Int { (1...1000).reduce(0, +) }
}

/// In place of the page's own server, says which path it was asked for.
struct Behind: Responder {
    func respond(to request: Request) async throws -> Response? { Response(text: request.path) }
}

try await GatewayCommand.run(passThrough: [Behind()], standardHandlers: false) { gateway in
    try gateway.register(OrderHandler.self, at: "/order/:id")
    try gateway.register(CancelOrderHandler.self, at: "/order/:id")
    try gateway.register(AppHandler.self, at: "/app")
    let visits = Visits()
    try gateway.register(at: "/visit") { request in VisitHandler(request: request, visits: visits) }
    let members = gateway.group(MembersOnly())
    try members.register(CartHandler.self, at: "/cart")
    try gateway.register(CountdownHandler.self, at: "/countdown")
    try gateway.register(UploadHandler.self, at: "/upload")
    try gateway.register(PingHandler.self, at: "/ping")
    try gateway.register(GermanHandler.self, at: "/terms.html")
    try gateway.register(NewSearchHandler.self, at: "/search")
    try gateway.register(AnyPageHandler.self, at: "/:page")
    try gateway.register(ReportHandler.self, at: "/report")
}
