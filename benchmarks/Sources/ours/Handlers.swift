import Dispatch
import Drawbridge

/// What every peer answers where the body is written by hand.
let greeting = Array(#"{"code":200,"data":{"message":"hello"},"message":""}"#.utf8)

/// Does not wait for anything.
struct Sync: SynchronousHandler {
    func handle(_ request: Request) -> Response {
        Response(bytes: greeting, contentType: "text/json")
    }
}

/// Awaits what is there already.
struct Async: Handler {
    func handle(_ request: Request) async -> Response {
        Response(bytes: await Self.body(), contentType: "text/json")
    }

    private static func body() async -> [UInt8] { greeting }
}

/// Goes on, and suspends nothing.
struct Transparent: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response { await next(request) }
}

/// Asks an actor.
struct Hop: Handler {
    actor Greeter {
        private var count = 0

        func greet() -> [UInt8] {
            count += 1
            return greeting
        }
    }

    let greeter: Greeter

    func handle(_ request: Request) async -> Response {
        Response(bytes: await greeter.greet(), contentType: "text/json")
    }
}

/// Waits for another thread.
struct Wait: Handler {
    private static let queue = DispatchQueue(label: "another thread")

    func handle(_ request: Request) async -> Response {
        let body = await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: greeting) }
        }
        return Response(bytes: body, contentType: "text/json")
    }
}

/// Typed JSON in and out.
struct Typed: JSONHandler {
    struct Input: Decodable {
        var user: String
        var age: Int
        var tags: [String]
    }

    struct Output: Encodable {
        var greeting: String
        var next: Int
        var tags: [String]
    }

    func handle(_ input: Input) async throws -> Output {
        Output(greeting: "hello \(input.user)", next: input.age + 1, tags: input.tags)
    }
}

/// Takes a body and says how long it was.
struct Upload: Handler {
    func handle(_ request: Request) async throws -> Response {
        Response(text: "\(request.body.bytes?.count ?? 0)\n")
    }
}

/// Never answers while it is measured.
struct Hold: Handler {
    func handle(_ request: Request) async throws -> Response {
        try await Task.sleep(for: .seconds(50))
        return Response(text: "over\n")
    }
}
