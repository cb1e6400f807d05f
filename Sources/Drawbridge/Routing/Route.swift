import HTTPTypes

/// A registered handler type, and how to make one.
final class Route: Sendable {
    /// Asks a handler that waits for nothing.
    typealias Immediate = @Sendable (any Handler, Request) throws -> Response

    let pattern: RoutePattern
    let handler: any Handler.Type
    let make: @Sendable (Request) throws -> any Handler

    /// The name of the handler's type, for logs and errors.
    let name: String

    /// Who answered, for the access log.
    let title: String

    /// What stands in `Server-Timing` before the milliseconds.
    let timing: [UInt8]

    /// Asks a handler that waits for nothing, without a task; nil for all others.
    let immediate: Immediate?

    private let methods: Set<String>?

    init(
        pattern: RoutePattern, handler: any Handler.Type,
        make: @escaping @Sendable (Request) throws -> any Handler
    ) {
        self.pattern = pattern
        self.handler = handler
        self.make = make
        name = String(describing: handler)
        if let type = handler as? any SynchronousHandler.Type {
            immediate = Self.immediate(type)
        } else {
            immediate = nil
        }
        title = "handler \(name)"
        timing = Array("handler;desc=\"\(name)\";dur=".utf8)
        methods = handler.methods.map { Set($0.map(\.rawValue)) }
    }

    /// Whether the handler asks for this method.
    func takes(_ method: String) -> Bool {
        guard let methods else { return method != "HEAD" && method != "OPTIONS" }
        return methods.contains(method)
    }

    private static func immediate<H: SynchronousHandler>(_ type: H.Type) -> Immediate? {
        // One that wants a thread gets it, and a task there.
        if case .thread = type.execution { return nil }
        return { handler, request in
            guard let handler = handler as? H else {
                preconditionFailure("\(H.self) is registered, and \(Swift.type(of: handler)) was made")
            }
            return try handler.respond(to: request)
        }
    }

    /// Names the handler in the log when it took so long that the others on its loop had to wait.
    func tellIfLong(_ held: Duration, _ request: Request) {
        guard held > Self.longStep else { return }
        request.logger.warning(
            """
            \(name) held its loop for \(Int(held / .milliseconds(1))) ms while all other requests there waited; \
            await instead of blocking, or declare: static var execution: Execution { .thread }
            """)
    }

    private static let longStep = Duration.milliseconds(50)

    /// What an `Allow` header says of it.
    var allow: String {
        (handler.methods?.map(\.rawValue) ?? ["GET", "POST", "PUT", "PATCH", "DELETE"]).joined(
            separator: ", ")
    }
}
