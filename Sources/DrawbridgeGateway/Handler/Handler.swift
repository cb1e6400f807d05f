/// Answers requests of one path; a fresh instance for every request.
///
/// Most handlers are a ``JSONHandler``. Write a `Handler` where the answer is not one JSON value: text, bytes, a
/// stream, or a request that is changed and sent on.
///
/// ```swift
/// struct Clock: Handler {
///     func handle(_ request: Request) async throws -> Response {
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

    /// Its methods, its deadline, where it runs and how its body is read.
    ///
    /// ```swift
    /// static let options = HandlerOptions(methods: [.post], deadline: .seconds(5))
    /// ```
    static var options: HandlerOptions { get }

    /// Whether this type takes the request; if not, the next route that fits is asked. True by default.
    static func canInit(with request: Request) -> Bool

    /// Answers the request.
    ///
    /// - Throws: an ``HTTPError`` to answer with its code and message; any other error is a 500 whose reason is in
    ///   the log only.
    func handle(_ request: Request) async throws -> Response

    /// Called when nobody waits for the answer any more: the caller has left, or the deadline has passed.
    ///
    /// It runs on the handler's loop, between two steps of ``handle(_:)``, and must not block there. For a handler with
    /// ``HandlerOptions/Execution/thread`` it runs on another thread, while ``handle(_:)`` may be running too: what the
    /// two share needs a lock. Without a loop, as in tests, it runs where the task is cancelled. The answer to a missed
    /// deadline goes out when it returns.
    func stopLoading()

    associatedtype _Methods: _SaidInOptions = _Unsaid
    associatedtype _Deadline: _SaidInOptions = _Unsaid
    associatedtype _Execution: _SaidInOptions = _Unsaid
    associatedtype _BodyMode: _SaidInOptions = _Unsaid
    /// Said in ``options``.
    static var methods: _Methods { get }
    /// Said in ``options``.
    static var deadline: _Deadline { get }
    /// Said in ``options``.
    static var execution: _Execution { get }
    /// Said in ``options``.
    static var bodyMode: _BodyMode { get }
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

    /// Every method but `HEAD` and `OPTIONS`, 60 seconds, on the loop, with the body collected.
    public static var options: HandlerOptions { HandlerOptions() }

    /// Takes every request.
    public static func canInit(with request: Request) -> Bool { true }

    /// Does nothing: cancelling the task is enough for most handlers.
    public func stopLoading() {}

    /// Said in ``options``.
    public static var methods: _Unsaid { _Unsaid() }
    /// Said in ``options``.
    public static var deadline: _Unsaid { _Unsaid() }
    /// Said in ``options``.
    public static var execution: _Unsaid { _Unsaid() }
    /// Said in ``options``.
    public static var bodyMode: _Unsaid { _Unsaid() }
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
