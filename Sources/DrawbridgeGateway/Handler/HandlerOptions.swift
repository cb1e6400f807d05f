import HTTPTypes

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

/// The type of a static that stands in ``Handler/options`` instead: for the types that one would give it, conformance is
/// unavailable, so that `static let deadline: Duration = .seconds(5)`, which would do nothing, does not compile.
public protocol _SaidInOptions {}

/// Nothing is said by a static of its own.
public struct _Unsaid: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(methods: [.post]) in the handler"
)
extension Array: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(methods: [.post]) in the handler"
)
extension Set: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(methods: [.post]) in the handler"
)
extension HTTPRequest.Method: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(deadline: .seconds(5)) in the handler"
)
extension Duration: _SaidInOptions {}

@available(
    *, unavailable,
    message: "write static let options = HandlerOptions(methods: …, deadline: …) in the handler"
)
extension Optional: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(execution: .thread) in the handler"
)
extension HandlerOptions.Execution: _SaidInOptions {}

@available(
    *, unavailable, message: "write static let options = HandlerOptions(body: .streamed) in the handler"
)
extension HandlerOptions.Body: _SaidInOptions {}
