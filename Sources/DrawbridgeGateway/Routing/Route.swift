/// Who answers a call of native: a handler (``Route``), or a reply (``AnsweringReply``).
protocol Answering: Sendable {
    /// For messages: `LoginHandler`, `reply pay`.
    var name: String { get }
    /// For the access log: `handler LoginHandler`, `reply pay`.
    var title: String { get }
    /// The value of `Server-Timing` up to the milliseconds.
    var timing: [UInt8] { get }
    var answerer: JournalRecord.Answerer { get }
    /// Whether its errors are sent in the envelope; callers of a handler with a rule do not expect that.
    var hasEnvelope: Bool { get }
}

/// A registered handler type, and how to make one.
package final class Route: Routed, Answering {
    /// Makes a synchronous handler, and lets it answer.
    typealias Immediate = @Sendable (Request) throws -> Response

    typealias Rule = @Sendable (Request) -> Bool

    package let pattern: RoutePattern
    package let handler: any Handler.Type
    let make: @Sendable (Request) throws -> any Handler

    package let options: HandlerOptions

    package let name: String

    let title: String

    let timing: [UInt8]

    var answerer: JournalRecord.Answerer { .handler(name) }
    var hasEnvelope: Bool { rule == nil }

    /// Lets a synchronous handler answer without a task; nil for all others.
    let immediate: Immediate?

    /// Decides instead of a path whether the handler takes a request; nil where it has a path.
    let rule: Rule?

    /// The middleware around its handler alone, the outermost first.
    let middleware: [any Middleware]

    init<H: Handler>(
        _ name: String = String(describing: H.self), pattern: RoutePattern, rule: Rule? = nil,
        options: HandlerOptions = H.options, within middleware: [any Middleware] = [],
        make: @escaping @Sendable (Request) throws -> H
    ) {
        self.pattern = pattern
        handler = H.self
        self.make = make
        self.name = name
        self.rule = rule
        self.options = options
        self.middleware = middleware
        // A handler that wants a thread runs in a task there, so it cannot be asked without a task.
        immediate =
            options.execution == .thread
            ? nil : (H.self as? any SynchronousHandler.Type).flatMap { Self.immediate($0, made: make) }
        title = "handler \(name)"
        timing = Array("handler;desc=\"\(name)\";dur=".utf8)
    }

    func named(_ values: [String], in request: Request) -> Request {
        guard !values.isEmpty || !request.parameters.isEmpty else { return request }
        var named = request
        named.parameters = Dictionary(zip(pattern.names, values), uniquingKeysWith: { $1 })
        return named
    }

    func takes(_ method: HTTPRequest.Method) -> Bool { options.takes(method) }

    /// A handler that names `HEAD` is asked before one that takes it with `GET`.
    package var isFirst: Bool { options.methods?.contains(.head) == true }

    /// Whether another route of the same path takes one of this route's methods, and so replaces it.
    package func isReplaced(by other: Route) -> Bool {
        switch (options.methods, other.options.methods) {
        case (let mine?, let its?): mine.contains(where: its.contains)
        case (let some?, nil), (nil, let some?): some.contains { $0 != .head && $0 != .options }
        case (nil, nil): true
        }
    }

    /// - Parameter make: a closure that makes an `H`; its type is checked here.
    private static func immediate<H: SynchronousHandler>(_ type: H.Type, made make: Any) -> Immediate {
        guard let make = make as? @Sendable (Request) throws -> H else {
            preconditionFailure("\(H.self) has a closure of another type, \(Swift.type(of: make))")
        }
        return { request in try make(request).handle(request) }
    }

    /// Logs the handler if it has blocked its loop for too long.
    func tellIfLong(_ held: Duration, _ request: Request) {
        guard held > Self.longStep else { return }
        request.logger.warning(
            """
            \(name) held its loop for \(Int(held / .milliseconds(1))) ms while all other requests there waited; \
            await instead of blocking, in its stopLoading() too, or declare: static let options = \
            HandlerOptions(execution: .thread)
            """)
    }

    /// How long the handler has blocked its loop so far; logs it if that is too long.
    func held(since began: Moment, _ request: Request) -> Duration {
        let held = began.elapsed
        tellIfLong(held, request)
        return held
    }

    private static let longStep = Duration.milliseconds(50)

    /// The value of an `Allow` header for these routes of one path.
    static func allow(_ routes: [Route]) -> String {
        var names: [String] = []
        for methods in routes.map(\.options.methods) {
            let said = methods?.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
            for name in said ?? usualMethods where !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }

    /// The methods that replies take, and handlers that declare none.
    static let usualMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
}
