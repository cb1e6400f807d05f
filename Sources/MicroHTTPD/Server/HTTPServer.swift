import Glibc
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd, which runs on loops of this package.
package final class HTTPServer: Sendable {
    /// How the body of a request is handled, decided after its head.
    package enum BodyChoice: Sendable {
        case refused(HTTPResponse, [UInt8])
        /// Collects the body before the handler starts; a body with more bytes than this gets a 413.
        case collected(upTo: Int)
        /// Starts the handler now, which reads the body while it arrives.
        case streamed
    }

    /// Answers an exchange; called on its loop, with the collected body, which is empty if the body is streamed.
    package typealias Handle = @Sendable (Exchange, _ body: consuming [UInt8]) -> Void

    /// The host name or IP address that was given for listening.
    package let host: String
    package let limits: Limits
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

    /// Makes a server, which listens after ``start()``; its handlers run without a task unless they start one.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - tls: certificate and key for https (TLS 1.2 and 1.3); nil for http.
    ///   - loops: the number of threads; by default one less than there are cores, for handlers and other programs.
    ///   - refuse: makes the responses for requests that the engine refuses.
    ///   - prompt: a body up to this size in bytes is collected without asking `chooseBody`, because it arrives with
    ///     the head; the handler can still refuse the request.
    ///   - reading: makes the handler for a head.
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

    /// Binds the port and starts to serve; call it once.
    ///
    /// - Throws: ``ListenError``, whose text says what to do, or ``SystemError``.
    package func start() throws {
        let layout = try HeadLayout.ofThisLibrary.get()
        precondition(state.withLock { $0.workers.isEmpty }, "a server is started once")
        // So that writing to a connection that the peer has closed returns an error instead of ending the process.
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

    /// The port that it listens on; 0 before ``start()``.
    package var port: Int { state.withLock { $0.socket?.port } ?? 0 }

    /// The IP address that it listens on; nil before ``start()``.
    package var address: String? { state.withLock { $0.socket?.address } }

    /// Goes on serving, but closes each connection after its next answer.
    package func drain() {
        for worker in state.withLock({ $0.workers }) {
            worker.loop.performSoon { worker.own.value.phase = .draining }
        }
    }

    /// Accepts the connections that have come, and no more; what is open is served as in ``drain()``.
    package func endListening() async {
        let (socket, workers) = state.withLock { state in
            defer { state.socket = nil }
            return (state.socket, state.workers)
        }
        for worker in workers {
            await withCheckedContinuation { continuation in
                worker.loop.performSoon {
                    worker.endListening { if worker.index == 0 { socket?.close() } }
                    continuation.resume()
                }
            }
        }
    }

    /// For how many seconds no connection was open and none came; 0 after ``end(within:patience:ending:)``.
    package var quietSeconds: Int {
        state.withLock { $0.workers.map { $0.quietSeconds.load(ordering: .relaxed) }.min() ?? 0 }
    }

    /// Stops: accepts no more requests, waits for running ones, and after `grace` cancels those that are left.
    ///
    /// A client whose response has not begun by then gets a 503. A handler that ignores its cancellation for one more
    /// second is abandoned, which is logged.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for handlers after their cancellation.
    ///   - ending: called before the loops end, to end other work on them.
    /// - Returns: the number of abandoned handlers.
    package func end(
        within grace: Duration, patience: Duration = .seconds(1), ending: () -> Void = {}
    ) async -> Int {
        let (socket, workers) = state.withLock { state in
            defer { state = State() }
            return (state.socket, state.workers)
        }
        guard !workers.isEmpty else { return 0 }
        let leftBehind = Guarded(0)
        for worker in workers { worker.loop.performSoon { worker.stopListening() } }
        socket?.close()

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

    /// The default number of loops: one less than there are cores.
    package static var usualLoops: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1) }

    func handler(of head: AuditedHead) -> any HeadHandler { head.handler(readHead) }

    /// The 503 for requests during a stop.
    var stopping: Answer {
        refuse(Refusal(.serviceUnavailable, "the server is stopping; try again soon"))
    }

    /// The response for a request that the engine refuses; the connection is closed after it.
    func refuse(_ refusal: Refusal) -> Answer {
        var (head, body) = makeRefusal(refusal)
        for field in refusal.headers { head.headerFields[field.name] = field.value }
        return Answer(head, .bytes(body), closing: true)
    }

    /// Raises the process's limit of open files to the maximum; half of it is the number of connections.
    private static func defaultConnectionLimit(pool: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The process itself has about two dozen open files.
        return connectionLimit(files: Int(clamping: limit.rlim_cur) - 24, MemoryLimit.ofThisProcess, pool)
    }

    /// The default number of connections for a limit of open files, a memory limit, and `pool` bytes per connection.
    package static func connectionLimit(files: Int, _ memory: Int, _ pool: Int) -> Int {
        min(20_000, max(4, min(files / 2, memory / 4 / (pool + 2048))))
    }
}

/// Handles the requests with one head; it is stored with the head, and reused for later requests with the same bytes.
package protocol HeadHandler: AnyObject, Sendable {
    /// Decides how a body is handled, before it is read. Must not block.
    ///
    /// - Returns: the choice, and a closure that answers this request instead of ``handle(_:_:)``; nil for none.
    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?)

    /// Answers an exchange. Called on its loop, with the collected body, which is empty if the body is streamed.
    func handle(_ exchange: Exchange, _ body: consuming [UInt8])
}
