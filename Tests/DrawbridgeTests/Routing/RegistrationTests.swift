import HTTPTypes
import Synchronization
import Testing

@testable import Drawbridge

@Suite("Registering a handler")
struct RegistrationTests {
    private struct NeedsANumber: JSONHandler {
        let number: Int
        func handle(_ input: Nothing) async throws -> Int { number }
    }

    private struct StoresItsRequest: JSONHandler {
        let request: Request
        func handle(_ input: Nothing) async throws -> String { request.path }
    }

    private struct IsParticular: JSONHandler {
        init(request: Request) throws {
            guard request.headers[.from] != nil else { throw HTTPError(.badRequest, "From: say who you are") }
        }
        func handle(_ input: Nothing) async throws -> String { "welcome" }
    }

    /// What nobody gives is missed when it is registered, not when it is called first.
    @Test func aTypeWithoutAnInitOfTheRequestIsNotRegistered() async throws {
        let gateway = Gateway.testing()
        let error = #expect(throws: RegistrationError.self) {
            try gateway.register(NeedsANumber.self, at: "/number")
        }
        #expect(error?.description.hasPrefix("/number: ") == true)
        #expect(error?.description.hasPrefix("/number: NeedsANumber has no init() or init(request:)") == true)
        #expect(error?.description.hasSuffix(#"gateway.register(at: "…") { NeedsANumber(…) }"#) == true)
        #expect(gateway.registered == ["/echo": ["Echo"]])

        try gateway.register(at: "/number") { NeedsANumber(number: 7) }
        try gateway.register(StoresItsRequest.self, at: "/path/:id")
        try gateway.register(IsParticular.self, at: "/particular")
        #expect(try await gateway.text(at: "/number") == #"{"code":200,"data":7,"message":""}"#)
        #expect(try await gateway.text(at: "/path/1") == #"{"code":200,"data":"/path/1","message":""}"#)
        #expect(
            try await gateway.text(at: "/particular") == #"{"code":400,"message":"From: say who you are"}"#)
    }

    @Test(arguments: [
        ("/files/*/x", "a wildcard can only be the last part"), ("*/", nil),
        ("/user/:id/:id", "two parts named :id"),
        ("/a/:b/c/:b/*", "two parts named :b"), ("/search?q=1", "does not belong to a path"),
        ("/a#b", "does not belong to a path"),
        ("/a/../b", "a caller resolves .."), ("/./b", "a caller resolves ."),
        ("/caf%C3%A9", "write café for caf%C3%A9"),
        ("/100%", nil), ("/a/:b/c/:d", nil), ("", nil), ("/", nil), ("/a//b", nil), ("/:", nil),
    ])
    func aPathThatNoRequestCanHaveIsNotRegistered(path: String, why: String?) throws {
        let gateway = Gateway()
        guard let why else { return try gateway.register(at: path) { Echo() } }
        let error = #expect(throws: RegistrationError.self) { try gateway.register(at: path) { Echo() } }
        #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
        #expect(throws: RegistrationError.self) { try gateway.pages(matching: path) }
        #expect(gateway.registered.isEmpty)
        #expect(!gateway.unregister(path))
    }

    /// The two are one character of a string, and a request is parted by bytes.
    @Test func aSlashBeforeACombiningMarkStillSplitsAPath() async throws {
        let gateway = Gateway.testing()
        try gateway.register(at: "/a/\u{304}x") { NeedsANumber(number: 7) }
        #expect(try await gateway.text(at: "/a/%CC%84x") == #"{"code":200,"data":7,"message":""}"#)
        #expect(gateway.unregister("/a/\u{304}x"))
    }

    // MARK: Several methods

    private struct Reads: JSONHandler {
        static let options = HandlerOptions(methods: [.get, .head])
        func handle(_ input: Nothing) async throws -> String { "read" }
    }

    private struct Writes: JSONHandler {
        static let options = HandlerOptions(methods: [.put])
        func handle(_ input: Nothing) async throws -> String { "written" }
    }

    private struct Overwrites: JSONHandler {
        static let options = HandlerOptions(methods: [.put, .patch])
        func handle(_ input: Nothing) async throws -> String { "overwritten" }
    }

    @Test(arguments: ["/note", "/note/:id", "/notes/*"])
    func handlersOfDifferentMethodsShareAPath(path: String) async throws {
        let gateway = Gateway.testing(answers: .http)
        func answer(_ method: HTTPRequest.Method) async throws -> String {
            let request = Request(method, "\(path.replacing(":id", with: "1"))?_mobile_bridge=1")
            let response = await gateway.respond(to: request)
            return "\(response.status.code) \(response.headers[.allow] ?? "") \(try await response.text())"
        }
        try gateway.register(Reads.self, at: path)
        try gateway.register(Writes.self, at: path)
        #expect(gateway.registered == ["/echo": ["Echo"], path: ["Reads", "Writes"]])
        #expect(try await answer(.get).contains(#""data":"read""#))
        #expect(try await answer(.put).contains(#""data":"written""#))
        #expect(try await answer(.delete).hasPrefix("405 GET, HEAD, PUT "))

        // One that takes a method of another takes its place.
        try gateway.register(Overwrites.self, at: path)
        #expect(gateway.registered == ["/echo": ["Echo"], path: ["Overwrites", "Reads"]])
        #expect(try await answer(.put).contains(#""data":"overwritten""#))
        #expect(try await answer(.get).contains(#""data":"read""#))
        try gateway.register(Echo.self, at: path)
        #expect(gateway.registered == ["/echo": ["Echo"], path: ["Echo"]])

        try gateway.register(Reads.self, at: path)
        #expect(gateway.unregister(path))
        #expect(!gateway.unregister(path))
        #expect(try await answer(.get).contains("No response"))
    }

    // MARK: Parameters

    private struct Moves: JSONHandler {
        struct Input: Decodable {
            var id: Int
            var to: String
            var count: Int?
        }
        func handle(_ input: Input) async throws -> String {
            "\(input.id) to \(input.to), \(input.count ?? 0)"
        }
    }

    @Test(arguments: [
        ("/7/home?count=2", "", "7 to home, 2"), ("/7/home", #"{"count":3}"#, "7 to home, 3"),
        ("/7/a%2Fb", "count=4", "7 to a/b, 4"), ("/7/home", #"{"id":7,"to":"home"}"#, "7 to home, 0"),
        ("/7/home?id=7", "", "7 to home, 0"), ("/x/home", "", "id: expected a whole number"),
        ("/7/home", #"{"id":8}"#, #"id: the path says \"7\", and the input something else"#),
        ("/7/home?to=work", "", #"to: the path says \"home\""#),
        ("/7/home", #"{"id":null}"#, #"id: the path says \"7\""#), ("/7/home", "[1]", "expected an object"),
    ])
    func pathParametersAreInput(target: String, body: String, expected: String) async throws {
        let gateway = Gateway.testing()
        try gateway.register(Moves.self, at: "/move/:id/:to")
        let flag = target.contains("?") ? "&_mobile_bridge=1" : "?_mobile_bridge=1"
        let response = await gateway.respond(to: Request(.post, "/move\(target)\(flag)", body: .init(body)))
        let text = try await response.text()
        #expect(text.contains(expected), "\(text)")
    }

    // MARK: Groups

    private struct Member: Sendable, Equatable { var name: String }

    private struct NeedsLogin: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response {
            guard let name = request.headers[.from] else { throw HTTPError(.unauthorized, "log in first") }
            var request = request
            request[Member.self] = Member(name: name)
            return await next(request)
        }
    }

    private struct Marks: Middleware {
        let mark: String
        func handle(_ request: Request, next: Next) async throws -> Response {
            var response = await next(request)
            response.headers[.server] = (response.headers[.server] ?? "") + mark
            return response
        }
    }

    private struct Greets: JSONHandler {
        let request: Request
        func handle(_ input: Nothing) async throws -> String {
            "\(request[Member.self]?.name ?? "nobody") at \(request.path), \(request.parameters)"
        }
    }

    private struct GreetsAtOnce: SynchronousHandler {
        func handle(_ request: Request) throws -> Response {
            Response(text: request[Member.self]?.name ?? "nobody")
        }
    }

    private struct GreetsInAStream: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in
                for word in ["Hello", request[Member.self]?.name ?? "nobody"] {
                    try await client.didLoad("\(word). ")
                }
            }
        }
    }

    @Test func aGroupHasMiddlewareOfItsOwn() async throws {
        let gateway = Gateway.testing(middleware: [Marks(mark: "a")])
        let members = gateway.group(Marks(mark: "c"), NeedsLogin())
        try members.register(Greets.self, at: "/greet/:word")
        try members.register(GreetsAtOnce.self, at: "/at-once")
        try members.register(GreetsInAStream.self, at: "/stream")
        try members.group(Marks(mark: "b")).register(at: "/deep") { Greets(request: $0) }
        try gateway.register(Greets.self, at: "/open")
        func ask(_ path: String, as name: String? = nil) async throws -> String {
            let headers: HTTPFields = name.map { [.from: $0] } ?? [:]
            let response = await gateway.respond(to: Request("\(path)?_mobile_bridge=1", headers: headers))
            return "\(response.headers[.server] ?? "") \(try await response.text())"
        }
        let refusal = #"ca {"code":401,"message":"log in first"}"#
        for path in ["/greet/hi", "/at-once", "/stream"] { #expect(try await ask(path) == refusal) }
        #expect(try await ask("/greet/hi", as: "Ann").contains(#"Ann at /greet/hi, [\"word\": \"hi\"]"#))
        #expect(try await ask("/at-once", as: "Ann") == "ca Ann")
        #expect(try await ask("/stream", as: "Ann") == "ca Hello. Ann. ")
        #expect(try await ask("/deep", as: "Ann").hasPrefix("bca "))
        #expect(try await ask("/open", as: "Ann").contains("nobody at /open"))

        // It is one table: what a group has is replaced and removed like all else.
        #expect(
            gateway.registered.keys.sorted() == [
                "/at-once", "/deep", "/echo", "/greet/:word", "/open", "/stream",
            ])
        try gateway.register(Greets.self, at: "/at-once")
        #expect(try await ask("/at-once").contains("nobody at /at-once"))
        #expect(members.unregister("/open"))
    }
}
