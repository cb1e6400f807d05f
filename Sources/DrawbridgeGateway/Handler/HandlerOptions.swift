/// What a handler's type says of all its instances, as ``Handler/options``.
public struct HandlerOptions: Sendable {
    /// The HTTP methods that reach the handler; nil means all but `HEAD` and `OPTIONS`.
    ///
    /// With `GET` comes `HEAD`, whose answer is sent without its body (RFC 9110, section 9.3.2).
    public var methods: [HTTPRequest.Method]?

    /// How long the answer may take; nil for a handler that waits for a person.
    ///
    /// The limit covers the time until the head of the response: a streamed body may take longer.
    public var deadline: Duration?

    /// Where the handler runs.
    public var execution: Execution

    /// Whether the body is collected before the handler starts, or read by it as a stream.
    public var body: Body

    /// The options; each has the value of a handler that says nothing.
    public init(
        methods: [HTTPRequest.Method]? = nil, deadline: Duration? = .seconds(60),
        execution: Execution = .loop,
        body: Body = .collected(upTo: nil)
    ) {
        self.methods = methods
        self.deadline = deadline
        self.execution = execution
        self.body = body
    }

    /// The thread on which a handler runs.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Execution: Sendable {
        /// On the loop that read the request, where it must not block: the fastest way, for code that computes briefly
        /// and awaits the rest.
        case loop

        /// On a thread of its own, for code that blocks or computes long.
        case thread
    }

    /// How a handler gets the body of its request.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Body: Sendable {
        /// As bytes, complete before the handler starts; more than the limit is a 413. Nil: the gateway's limit.
        case collected(upTo: Int?)

        /// As a stream, while it arrives, without a limit. Read it before you answer: what is left then is dropped.
        case streamed

        var isStreamed: Bool { if case .streamed = self { true } else { false } }
    }

    func takes(_ method: HTTPRequest.Method) -> Bool {
        guard let methods else { return method != .head && method != .options }
        return methods.contains(method) || method == .head && methods.contains(.get)
    }
}

/// A static that ``Handler/options`` says instead: the types that one would give it conform unavailably, so that
/// `static let deadline: Duration = .seconds(5)`, which would do nothing, does not compile.
public protocol _SaidInOptions {}

/// The default: no such static.
public struct _Unsaid: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Array: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Set: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Optional: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension String: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Int: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Double: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension Duration: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension HTTPRequest.Method: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension HandlerOptions.Execution: _SaidInOptions {}

@available(*, unavailable, message: "write static let options = HandlerOptions(…)")
extension HandlerOptions.Body: _SaidInOptions {}
