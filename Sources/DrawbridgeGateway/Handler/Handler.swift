import DrawbridgeMessages
import HTTPTypes

/// Answers requests of one path; a fresh instance for every request.
///
/// Most handlers are a ``JSONHandler``. Write a `Handler` where the answer is not one JSON value: text, bytes, a
/// stream, or a request that is changed and sent on.
///
/// ```swift
/// struct Clock: Handler {
///     func startLoading(_ request: Request) async throws -> Response {
///         Response(contentType: "text/event-stream") { client in
///             while true {
///                 try await client.didLoad("data: \(Date.now)\n\n")
///                 try await Task.sleep(for: .seconds(1))
///             }
///         }
///     }
/// }
/// ```
///
/// Returning finishes the load, throwing fails it. When the caller goes away or the deadline passes, the task is
/// cancelled and then ``stopLoading()`` is called; what the handler returns or throws afterwards is dropped.
public protocol Handler: Sendable {
    /// Makes the instance for one request; Swift adds this initializer to a handler without stored properties.
    ///
    /// - Throws: an error, which is sent instead of the handler's answer.
    init() throws

    /// Makes the instance for this request, for a handler that needs more of it than its input.
    ///
    /// Declare a stored property for the request, and the memberwise initializer is this one:
    ///
    /// ```swift
    /// struct WhoAmI: JSONHandler {
    ///     let request: Request
    ///     func handle(_ input: Nothing) async throws -> String? { request.remoteAddress }
    /// }
    /// ```
    ///
    /// - Throws: an error, which is sent instead of the handler's answer.
    init(request: Request) throws

    /// The HTTP methods that reach this handler; nil, the default, means all but `HEAD` and `OPTIONS`.
    static var methods: [HTTPRequest.Method]? { get }

    /// How long the answer may take; 60 seconds by default, nil for a handler that waits for a person.
    ///
    /// The limit covers the time until the head of the response: a streamed body may take longer.
    static var deadline: Duration? { get }

    /// Where the handler runs; on the loop by default, where it must not block.
    static var execution: Execution { get }

    /// Whether the body is collected before the handler starts, which is the default, or read by it as a stream.
    static var bodyMode: BodyMode { get }

    /// Whether this type takes the request; if not, the next route that fits is asked. True by default.
    static func canInit(with request: Request) -> Bool

    /// Answers the request.
    ///
    /// - Throws: an ``HTTPError`` to answer with its code and message; any other error is a 500 whose reason is in
    ///   the log only.
    func startLoading(_ request: Request) async throws -> Response

    /// Called when nobody waits for the answer any more: the caller has left, or the deadline has passed.
    ///
    /// It runs on the handler's loop, between two steps of ``startLoading(_:)``, and must not block there. For a
    /// handler with ``Execution/thread`` it runs on another thread, while ``startLoading(_:)`` may be running too: what
    /// the two share needs a lock. Without a loop, as in tests, it runs where the task is cancelled. The answer to a
    /// missed deadline goes out when it returns.
    func stopLoading()
}

extension Handler {
    /// The default for a type that needs arguments: it is registered with a closure that makes the handler.
    ///
    /// - Throws: always; the gateway calls this when the type is registered, and reports the error there.
    public init() throws { throw MissingInitializer(type: "\(Self.self)") }

    /// Makes the instance with ``init()``; the request is not used.
    ///
    /// - Throws: what its ``init()`` throws.
    public init(request: Request) throws { try self.init() }

    /// All methods but `HEAD` and `OPTIONS`.
    public static var methods: [HTTPRequest.Method]? { nil }

    /// 60 seconds.
    public static var deadline: Duration? { .seconds(60) }

    /// The handler runs on the loop, and must not block.
    public static var execution: Execution { .loop }

    /// The body is collected, up to the gateway's limit.
    public static var bodyMode: BodyMode { .collected(upTo: nil) }

    /// Takes every request.
    public static func canInit(with request: Request) -> Bool { true }

    /// Does nothing: cancelling the task is enough for most handlers.
    public func stopLoading() {}
}

/// The error for a handler's type without an initializer that the gateway can call.
struct MissingInitializer: Error, CustomStringConvertible {
    let type: String

    var description: String {
        """
        \(type) has no init() or init(request:) that the gateway can call: add one (a public type needs a public \
        one), or register it with a closure that makes it: try gateway.register(at: "…") { \(type)(…) }
        """
    }
}

/// The thread on which a handler runs.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Execution: Sendable {
    /// On the loop that read the request: the fastest way, for code that computes briefly and awaits the rest.
    case loop

    /// On a thread of its own, for code that blocks or computes long.
    case thread
}

/// How a handler gets the body of its request.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum BodyMode: Sendable {
    /// As bytes, complete before the handler starts; more than the limit is a 413. Nil: the gateway's limit.
    case collected(upTo: Int?)

    /// As a stream, while it arrives, without a limit. Read it before you answer: what is left then is dropped.
    case streamed

    var isStreamed: Bool { if case .streamed = self { true } else { false } }
}
