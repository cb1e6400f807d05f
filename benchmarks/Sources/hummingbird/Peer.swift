import Dispatch
import Hummingbird
import Logging

/// Hummingbird 2 with the same answers: `hummingbird PORT [--root FOLDER]`.
@main
struct Peer {
    struct Input: Decodable {
        var user: String
        var age: Int
        var tags: [String]
    }

    struct Output: Codable {
        var greeting: String
        var next: Int
        var tags: [String]
    }

    struct Envelope: ResponseCodable {
        var code: Int
        var data: Output
        var message: String
    }

    actor Greeter {
        private var count = 0

        func greet() -> String {
            count += 1
            return greeting
        }
    }

    static let greeting = #"{"code":200,"data":{"message":"hello"},"message":""}"#

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let router = Router()
        router.get("sync") { _, _ in json(greeting) }
        router.get("async") { _, _ in json(await later()) }
        let greeter = Greeter()
        router.get("actor") { _, _ in json(await greeter.greet()) }
        let queue = DispatchQueue(label: "another thread")
        router.get("wait") { _, _ in
            json(
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: greeting) }
                })
        }
        router.post("typed") { request, context in
            let input = try await request.decode(as: Input.self, context: context)
            return Envelope(
                code: 200,
                data: Output(greeting: "hello \(input.user)", next: input.age + 1, tags: input.tags),
                message: "")
        }
        router.post("upload") { request, _ in
            let body = try await request.body.collect(upTo: 8 << 20)
            return "\(body.readableBytes)\n"
        }
        router.get("hold") { _, _ in
            try await Task.sleep(for: .seconds(50))
            return "over\n"
        }
        if let place = arguments.firstIndex(of: "--root") {
            router.add(middleware: FileMiddleware(arguments[place + 1]))
        }
        var logger = Logger(label: "hummingbird")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(
                address: .hostname("127.0.0.1", port: Int(arguments[0]) ?? 0), backlog: 4096),
            logger: logger)
        try await application.runService()
    }

    private static func later() async -> String { greeting }

    private static func json(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/json"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
