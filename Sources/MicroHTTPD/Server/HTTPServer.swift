import EventLoop
import Glibc
public import HTTPTypes
public import Logging
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd, driven from loops of our own.
///
/// ```swift
/// let server = HTTPServer { exchange in
///     exchange.send(HTTPResponse(status: .ok), Array("hello".utf8))
/// }
/// try server.start()
/// ```
public final class HTTPServer: Sendable {
    /// What happens to the body of a request, decided on its head.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum BodyChoice: Sendable {
        /// Answered now; the body is not read by anybody.
        case refused(HTTPResponse, [UInt8])
        /// Collected before the handler starts; more than this many bytes are a 413.
        case collected(upTo: Int)
        /// Read by the handler as it comes.
        case streamed
    }

    /// Decides on a head, whether its target was a whole URL, and the caller's address.
    public typealias ChooseBody = @Sendable (HTTPRequest, Bool, String?) -> BodyChoice

    /// Answers an exchange; called on its loop, with the collected body, which is empty where it is streamed.
    package typealias Handle = @Sendable (Exchange, _ body: consuming [UInt8]) -> Void

    /// Makes the answer to a request that the engine refuses: status, message → head and body.
    public typealias Refuse = @Sendable (HTTPResponse.Status, String) -> (HTTPResponse, [UInt8])

    /// Where it listens: a name or an address.
    public let host: String
    /// What it takes from callers.
    public let limits: Limits
    package let bodyMemory: BodyMemory
    let tls: TLSIdentity?
    let logger: Logger

    private let requestedPort: Int
    private let loops: Int
    private let readHead: @Sendable (AuditedHead) -> any HeadHandler
    let promptBodies: Int
    private let makeRefusal: @Sendable (Refusal) -> (HTTPResponse, [UInt8])
    private let state = Mutex(State())

    private struct State {
        var socket: ListeningSocket?
        var workers: [Worker] = []
    }

    /// Makes a server; ``start()`` lets it listen.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: 0 lets the system choose.
    ///   - limits: what it takes from a caller.
    ///   - tls: makes it a server for https, by TLS 1.2 and 1.3; without it, it is one for http.
    ///   - loops: threads; by default all cores but one, which is left to handlers and the system.
    ///   - logger: where it says what goes wrong.
    ///   - chooseBody: decides what happens to a body; must not block.
    ///   - refuse: makes the answers to requests that the engine refuses by itself.
    ///   - handle: answers an exchange; starts on the exchange's loop.
    public convenience init(
        host: String = "127.0.0.1", port: Int = 0, tls: TLSIdentity? = nil, limits: Limits = Limits(),
        loops: Int? = nil, logger: Logger = Logger(label: "drawbridge.http"),
        chooseBody: @escaping ChooseBody = { _, _, _ in .collected(upTo: 8 << 20) },
        refuse: @escaping Refuse = { status, message in
            (HTTPResponse(status: status, headerFields: [.contentType: "text/plain"]), Array(message.utf8))
        },
        handle: @escaping @Sendable (Exchange) async -> Void
    ) {
        let handler = ClosureHandler(choose: chooseBody, answer: handle)
        self.init(
            host: host, port: port, tls: tls, limits: limits, loops: loops, logger: logger,
            refuse: { refuse($0.status, $0.message) }, reading: { _ in handler })
    }

    /// Makes a server that sees heads as the audit left them, and that has no task for an exchange unless its handler
    /// starts one.
    ///
    /// - Parameters:
    ///   - prompt: bodies of up to so many bytes are collected without a call of `chooseBody`: they come with their
    ///     head, and the handler can still refuse them.
    ///   - reading: makes the handler of a head.
    package init(
        host: String, port: Int, tls: TLSIdentity?, limits: Limits, loops: Int?, logger: Logger,
        above prompt: Int = 0, refuse: @escaping @Sendable (Refusal) -> (HTTPResponse, [UInt8]),
        reading: @escaping @Sendable (AuditedHead) -> any HeadHandler
    ) {
        self.host = host
        requestedPort = port
        self.tls = tls
        self.limits = limits
        bodyMemory = BodyMemory(limit: limits.memoryForBodies ?? MemoryLimit.usualForBodies)
        self.loops = loops ?? Self.usualLoops
        self.logger = logger
        readHead = reading
        promptBodies = prompt
        makeRefusal = refuse
    }

    /// Binds, and serves from now on; called once.
    ///
    /// - Throws: a ``ListenError`` that says what to do, or a ``SystemError``.
    public func start() throws {
        let layout = try HeadLayout.ofThisLibrary.get()
        precondition(state.withLock { $0.socket == nil }, "a server is started once")
        // A peer that leaves while we write is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        guard tls == nil || LibraryDaemon.hasTLS else {
            throw ListenError(
                "cannot serve https: this libmicrohttpd was built without TLS; install one that has it")
        }
        let connections = limits.connections ?? Self.defaultConnectionLimit(pool: limits.pool)
        let socket = try ListeningSocket(host: host, port: requestedPort, backlog: 4096)
        var workers: [Worker] = []
        do {
            for index in 0..<loops {
                workers.append(
                    try Worker(
                        self, index: index, sharing: socket, connectionLimit: max(1, connections / loops),
                        layout: layout))
            }
        } catch {
            socket.close()
            for worker in workers {
                worker.loop.performSoon {
                    worker.stopListening()
                    worker.stop()
                }
            }
            throw error
        }
        state.withLock { $0 = State(socket: socket, workers: workers) }
    }

    /// The port it listens on; 0 before ``start()``.
    public var port: Int { state.withLock { $0.socket?.port } ?? 0 }

    /// The address it listens on, as numbers.
    public var address: String? { state.withLock { $0.socket?.address } }

    /// Stops: takes no more requests, lets those under way finish, cancels what is left after `grace`, and waits.
    ///
    /// Whoever waits for an answer that has not begun by then gets a 503. A handler that ignores its cancellation for
    /// another second is left behind, and the log says so.
    public func stop(within grace: Duration = .seconds(5)) async { _ = await end(within: grace) }

    /// Stops in the same way, and returns how many handlers were left behind.
    ///
    /// - Parameters:
    ///   - patience: how long handlers may ignore their cancellation.
    ///   - ending: called before the loops end, to end what else runs on them.
    package func end(
        within grace: Duration, patience: Duration = .seconds(1), ending: () -> Void = {}
    ) async -> Int {
        let (socket, workers) = state.withLock { state in
            defer { state = State() }
            return (state.socket, state.workers)
        }
        guard let socket else { return 0 }
        let leftBehind = Guarded(0)
        for worker in workers { worker.loop.performSoon { worker.stopListening() } }
        socket.close()

        let impatience = Task {
            try await Task.sleep(for: grace)
            for worker in workers { worker.loop.performSoon { worker.cancelAll() } }
            try await Task.sleep(for: patience)
            for worker in workers {
                worker.loop.performSoon {
                    let count = worker.abandon()
                    if count > 0 {
                        leftBehind.withLock { $0 += count }
                        worker.server.logger.error(
                            "\(count) handlers ignored their cancellation and were left behind")
                    }
                }
            }
        }
        for worker in workers { await worker.becomeIdle() }
        impatience.cancel()
        ending()
        for worker in workers {
            await withCheckedContinuation { continuation in
                worker.loop.performSoon {
                    worker.stop()
                    continuation.resume()
                }
            }
        }
        return leftBehind.withLock { $0 }
    }

    /// All cores but one, which is left to handlers and the system.
    package static var usualLoops: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1) }

    func handler(of head: AuditedHead) -> any HeadHandler { head.handler(readHead) }

    /// The 503 for requests that come while the server stops.
    var stopping: Answer {
        refuse(Refusal(.serviceUnavailable, "the server is stopping; try again soon"))
    }

    /// The answer to a request that the engine refuses; it ends the connection.
    func refuse(_ refusal: Refusal) -> Answer {
        var (head, body) = makeRefusal(refusal)
        for field in refusal.headers { head.headerFields[field.name] = field.value }
        return Answer(head, .bytes(body), closing: true)
    }

    /// Raises the process's limit of descriptors as far as it may, and takes half of them.
    private static func defaultConnectionLimit(pool: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Some two dozen are the process's own.
        return connectionLimit(files: Int(clamping: limit.rlim_cur) - 24, MemoryLimit.ofThisProcess, pool)
    }

    /// What so many descriptors and bytes of memory allow.
    package static func connectionLimit(files: Int, _ memory: Int, _ pool: Int) -> Int {
        min(20_000, max(4, min(files / 2, memory / 4 / (pool + 2048))))
    }
}

/// Handles the requests with one head; kept with it for the next requests of its loop that have the same bytes.
package protocol HeadHandler: AnyObject, Sendable {
    /// Decides what happens to the body of a request, before that is read; must not block.
    ///
    /// - Returns: also what answers this request in place of ``handle(_:_:)``; nil for that.
    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?)

    /// Answers an exchange; called on its loop, with the collected body, which is empty where it is streamed.
    func handle(_ exchange: Exchange, _ body: consuming [UInt8])
}

/// Answers by the closures of a public server, in a task.
private final class ClosureHandler: HeadHandler {
    private let choose: HTTPServer.ChooseBody
    private let answer: @Sendable (Exchange) async -> Void

    init(choose: @escaping HTTPServer.ChooseBody, answer: @escaping @Sendable (Exchange) async -> Void) {
        self.choose = choose
        self.answer = answer
    }

    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?) {
        (choose(head.request, head.isAbsoluteForm, remoteAddress), nil)
    }

    func handle(_ exchange: Exchange, _ body: consuming [UInt8]) {
        exchange.keep(body)
        exchange.run { [answer] in await answer(exchange) }
    }
}
