public import Drawbridge
import EventLoop
import HTTPTypes
import Logging
import MicroHTTPD
import Synchronization

/// A gateway that listens: the core on the engine.
///
/// ``DrawbridgeGateway/Gateway/run(_:onListening:)`` is the usual way; this type is for programs that start and stop
/// several, and for tests.
public final class GatewayServer: Sendable {
    /// Where it listens.
    public let address: ServerAddress
    private let server: HTTPServer
    private let gateway: Gateway
    private let isStopped = Atomic(false)
    private let grace: Duration
    private let log: AccessLog?

    /// Binds and serves from now on.
    ///
    /// On an address that others reach, they are let in by ``/Drawbridge/Gateway/admissions`` alone.
    ///
    /// - Throws: a `ListenError` that says what to do when the port cannot be had.
    public init(_ gateway: Gateway, _ configuration: ServerConfiguration = ServerConfiguration()) throws {
        let log = configuration.logsRequests ? AccessLog(gateway, configuration) : nil
        let loops = configuration.loops ?? HTTPServer.usualLoops
        let tasks = TasksOfLoops(loops, logger: gateway.logger)
        server = HTTPServer(
            host: configuration.host, port: configuration.port, tls: configuration.tls,
            limits: configuration.limits, loops: loops, logger: gateway.logger,
            choosing: { head, remoteAddress, localAddress in
                let plan = gateway.plan(
                    for: Request(
                        head.known.head, remoteAddress: remoteAddress,
                        localAddress: remoteAddress?.isOfThisMachine == true ? nil : localAddress()))
                switch gateway.bodyChoice(by: plan) {
                case .refused(let response):
                    log?.add(plan.request, response, bytes: response.body.bytes?.count ?? 0)
                    return (.refused(response.head, response.body.bytes ?? []), nil)
                case .taken(.streamed): return (.streamed, KeptPlan(plan))
                case .taken(.collected(upTo: let limit)):
                    return (.collected(upTo: limit ?? gateway.bodyLimit), KeptPlan(plan))
                }
            },
            above: 4 << 10,
            refuse: { refusal in
                let (status, reason) = (refusal.status, refusal.message)
                log?.add(refused: status, refusal.path.isEmpty ? reason : "\(refusal.path): \(reason)")
                var response = Gateway.refusal(HTTPError(status, reason))
                // Of other refusals the reason may have what was sent.
                if refusal.isForPage, status == .requestHeaderFieldsTooLarge || status == .uriTooLong {
                    response = PlainPage.response(
                        title: "Too long", "<h1>Too long a request</h1><p>\(reason).</p>")
                    response.status = status
                }
                return (response.head, response.body.bytes ?? [])
            },
            handling: { exchange, body in
                exchange.respond(to: body, with: gateway, by: tasks.tasks(for: exchange), log)
            })
        try server.start()
        address = ServerAddress(
            scheme: configuration.tls == nil ? "http" : "https", host: server.address ?? configuration.host,
            port: server.port)
        grace = configuration.grace
        self.log = log
        self.gateway = gateway
        gateway.pages.count { [memory = server.bodyMemory] in WaitingBytes(of: memory) }
        gateway.configure { [address] in $0.ownAddress = configuration.publicURL ?? "\(address.reachable)" }
        gateway.serverBegan()
        OwnPorts.add(server.port)
    }

    /// Takes no more requests, lets those under way finish within the grace, cancels the rest and waits for it.
    ///
    /// Whoever waits for an answer that has not begun gets a 503. Calls of pages that wait end with
    /// `PageError.Reason.stopped`.
    public func stop() async { _ = await end() }

    /// Stops, and returns how many handlers ignored their cancellation and were left behind.
    func end() async -> Int {
        let isFirst = !isStopped.exchange(true, ordering: .relaxed)
        if isFirst { gateway.serverIsStopping() }
        let leftBehind = await server.end(within: grace) {
            if isFirst { gateway.serverHasStopped() }
        }
        // Once: another server of this process may have the port by now.
        if isFirst { OwnPorts.remove(address.port) }
        log?.writer.flush()
        return leftBehind
    }
}

extension WaitingBytes: WaitingMemory {}

/// What a gateway decided when the engine asked about a body, kept until that body is there.
private final class KeptPlan: Sendable {
    let plan: Plan

    init(_ plan: Plan) { self.plan = plan }
}

extension Exchange {
    /// The start of every request that is not logged, which saves reading the clock.
    private static let unlogged = ContinuousClock.now

    /// The address of this machine that a caller from elsewhere came to; nil for a caller on this machine.
    private var localForOthers: String? { remoteAddress?.isOfThisMachine == true ? nil : localAddress }

    /// Hands the request to the gateway, and sends its response.
    ///
    /// - Parameter collected: the request's body, unless it is streamed.
    fileprivate func respond(
        to collected: consuming [UInt8], with gateway: Gateway, by tasks: HandlerTasks, _ log: AccessLog?
    ) {
        let start = log == nil ? Self.unlogged : .now
        if !head.headers.isEmpty, head.target.utf8.starts(with: PageChannel.path.utf8),
            WebSocketHandshake.isAsked(by: head.headers)
        {
            return openChannel(gateway, by: tasks, log)
        }
        let body = isStreamed ? Request.Body(StreamedBody(exchange: self)) : Request.Body(collected)
        let known = head.known
        // The plan that was made when the engine asked about the body, if it is still valid.
        let kept = (kept as? KeptPlan).flatMap { gateway.kept($0.plan, with: body) }
        var plan =
            kept ?? gateway.plan(for: known, body, from: remoteAddress, at: localForOthers, on: tasks.loop)
        let request = plan.request
        let beginning = gateway.begin(&plan, for: known, by: tasks)
        if request.admission != nil { canBeCut { gateway.hold(request, $0) } }
        switch consume beginning {
        case .answered(let answer):
            send(answer, to: request, by: gateway, since: start, log)
        case .pending(let pending):
            let sending: @Sendable (AccessLog.Cut?) -> Void = { [self] cut in
                let answer = pending.response(to: request, in: gateway)
                send(answer, to: request, by: gateway, since: start, log, cut: cut)
            }
            // A handler that only calls an actor is done in a moment, so the loop's tasks run before this waits.
            drainTasks { pending.isOver }
            if pending.isOver { return sending(nil) }
            onLeave(pending.cancel)
            pending.wait { [self] in sending(pending.isCancelled ? whyCancelled : nil) }
        }
    }

    /// Upgrades the connection to a page's channel, or sends why not.
    private func openChannel(_ gateway: Gateway, by tasks: HandlerTasks, _ log: AccessLog?) {
        var request = Request(
            head.known.head, remoteAddress: remoteAddress, localAddress: localForOthers,
            id: Request.id(head.known.head), answerer: gateway)
        if var refusal = gateway.refusesEntry(of: &request) {
            gateway.finish(&refusal, for: request)
            return send(refusal, to: request, since: .now, log)
        }
        do {
            try PageChannel.open(self, request, gateway, by: tasks, log)
            end()
        } catch {
            var response = Gateway.refusal(error)
            response.answeredBy = "refused"
            response.refusal = error.message
            gateway.finish(&response, for: request)
            send(response, to: request, since: .now, log)
        }
    }
}

extension String {
    /// Whether this address, without a port, is one of this machine; most callers have one of the first two.
    fileprivate var isOfThisMachine: Bool {
        self == "127.0.0.1" || self == "::1" || Authority.isLoopback(address: self)
    }
}

extension AuditedHead {
    /// The head as the core's type, made once.
    fileprivate var known: KnownHead {
        if let known = digest as? KnownHead { return known }
        let known = KnownHead(
            RequestHead(
                method, scheme: scheme, authority: authority, target: target, headers: headers,
                isAbsoluteForm: isAbsoluteForm, isOldVersion: isOldVersion))
        keep(known)
        return known
    }
}

/// The body of an exchange as the core reads it.
private struct StreamedBody: ChunkSource {
    let exchange: Exchange

    var length: Int? {
        if case .length(let length) = exchange.head.framing { length } else { nil }
    }

    func next() async throws -> [UInt8]? { try await exchange.nextChunk() }

    func reserve(_ count: Int) throws(HTTPError) {
        do throws(NoRoom) {
            try exchange.reserve(count)
        } catch {
            throw HTTPError(.serviceUnavailable, error.description)
        }
    }
}

/// Adapts a loop of the engine for handlers.
final class EngineLoop: HandlerLoop {
    let watch: LoopWatch
    private let loop: Loop

    init(_ loop: Loop, watch: LoopWatch) {
        self.loop = loop
        self.watch = watch
    }

    deinit { watch.end() }

    var isCurrent: Bool { loop.isCurrent }

    func enqueue(_ step: @escaping @Sendable () -> Void) { loop.enqueue(step) }
}

/// The tasks of handlers on each of the engine's loops, made with the first exchange that the loop serves.
final class TasksOfLoops: Sendable {
    private let logger: Logger
    private let tasks: Mutex<[HandlerTasks?]>

    init(_ loops: Int, logger: Logger) {
        self.logger = logger
        tasks = Mutex(Array(repeating: nil, count: loops))
    }

    /// The tasks of the loop that serves an exchange.
    func tasks(for exchange: Exchange) -> HandlerTasks {
        tasks.withLock { tasks in
            if let made = tasks[exchange.loopIndex] { return made }
            let made = HandlerTasks(on: EngineLoop(exchange.loop, watch: LoopWatch(logger: logger)))
            tasks[exchange.loopIndex] = made
            return made
        }
    }
}
