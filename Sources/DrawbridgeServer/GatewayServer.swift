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
    private let service: Service
    private let isStopped = Atomic(false)
    private let grace: Duration

    /// Binds and serves from now on.
    ///
    /// On an address that others reach, they are let in by ``/Drawbridge/Gateway/admissions`` alone.
    ///
    /// - Throws: a `ListenError` that says what to do when the port cannot be had.
    public init(_ gateway: Gateway, _ configuration: ServerConfiguration = ServerConfiguration()) throws {
        let loops = configuration.loops ?? HTTPServer.usualLoops
        let service = Service(
            gateway, configuration.logsRequests ? AccessLog(gateway, configuration) : nil, loops: loops)
        self.service = service
        server = HTTPServer(
            host: configuration.host, port: configuration.port, tls: configuration.tls,
            limits: configuration.limits, loops: loops, logger: gateway.logger, above: 4 << 10,
            refuse: service.refuse, reading: { GatewayHead($0, service) })
        try server.start()
        address = ServerAddress(
            scheme: configuration.tls == nil ? "http" : "https", host: server.address ?? configuration.host,
            port: server.port)
        grace = configuration.grace
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
        if isFirst { service.gateway.serverIsStopping() }
        let leftBehind = await server.end(within: grace) {
            if isFirst { service.gateway.serverHasStopped() }
        }
        // Once: another server of this process may have the port by now.
        if isFirst { OwnPorts.remove(address.port) }
        service.log?.writer.flush()
        return leftBehind
    }
}

extension WaitingBytes: WaitingMemory {}

/// A gateway, its log, and the tasks of its handlers on each of the engine's loops.
private final class Service: Sendable {
    let gateway: Gateway
    let log: AccessLog?
    private let tasks: Mutex<[HandlerTasks?]>

    init(_ gateway: Gateway, _ log: AccessLog?, loops: Int) {
        self.gateway = gateway
        self.log = log
        tasks = Mutex(Array(repeating: nil, count: loops))
    }

    /// The tasks of the loop that serves an exchange, made with the first one.
    func tasks(for exchange: Exchange) -> HandlerTasks {
        tasks.withLock { tasks in
            if let made = tasks[exchange.loopIndex] { return made }
            let made = HandlerTasks(on: EngineLoop(exchange.loop, logger: gateway.logger))
            tasks[exchange.loopIndex] = made
            return made
        }
    }

    func refuse(_ refusal: Refusal) -> (HTTPResponse, [UInt8]) {
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
    }
}

/// Hands the requests with one head to the gateway, and sends its responses.
private final class GatewayHead: HeadHandler {
    private let known: KnownHead
    private let service: Service

    /// The start of every request that is not logged, which saves reading the clock.
    private static let unlogged = ContinuousClock.now

    init(_ head: AuditedHead, _ service: Service) {
        known = KnownHead(
            RequestHead(
                head.method, scheme: head.scheme, authority: head.authority, target: head.target,
                headers: head.headers, isAbsoluteForm: head.isAbsoluteForm, isOldVersion: head.isOldVersion))
        self.service = service
    }

    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?) {
        let gateway = service.gateway
        let plan = gateway.plan(
            for: Request(
                known.head, remoteAddress: remoteAddress,
                localAddress: remoteAddress?.isOfThisMachine == true ? nil : localAddress))
        // The plan is kept until the body is there.
        let handle: HTTPServer.Handle = { [self] in self.handle($0, $1, by: plan) }
        switch gateway.bodyChoice(by: plan) {
        case .refused(let response):
            service.log?.add(plan.request, response, bytes: response.body.bytes?.count ?? 0)
            return (.refused(response.head, response.body.bytes ?? []), nil)
        case .taken(.streamed): return (.streamed, handle)
        case .taken(.collected(upTo: let limit)):
            return (.collected(upTo: limit ?? gateway.bodyLimit), handle)
        }
    }

    func handle(_ exchange: Exchange, _ body: consuming [UInt8]) { handle(exchange, body, by: nil) }

    /// - Parameter decided: the plan that was made when the engine asked about the body.
    private func handle(_ exchange: Exchange, _ collected: consuming [UInt8], by decided: Plan?) {
        let (gateway, log, tasks) = (service.gateway, service.log, service.tasks(for: exchange))
        let start = log == nil ? Self.unlogged : .now
        let head = exchange.head
        if !head.headers.isEmpty, head.target.utf8.starts(with: PageChannel.path.utf8),
            WebSocketHandshake.isAsked(by: head.headers)
        {
            return openChannel(exchange, by: tasks)
        }
        let body =
            exchange.isStreamed ? Request.Body(StreamedBody(exchange: exchange)) : Request.Body(collected)
        var plan =
            decided.flatMap { gateway.kept($0, with: body) }
            ?? gateway.plan(
                for: known, body, from: exchange.remoteAddress, at: exchange.localForOthers, on: tasks.loop)
        let request = plan.request
        let beginning = gateway.begin(&plan, for: known, by: tasks)
        if request.admission != nil { exchange.canBeCut { gateway.hold(request, $0) } }
        switch consume beginning {
        case .answered(let answer):
            exchange.send(answer, to: request, by: gateway, since: start, log)
        case .pending(let pending):
            let sending: @Sendable (AccessLog.Cut?) -> Void = { cut in
                let answer = pending.response(to: request, in: gateway)
                exchange.send(answer, to: request, by: gateway, since: start, log, cut: cut)
            }
            // A handler that only calls an actor is done in a moment, so the loop's tasks run before this waits.
            exchange.drainTasks { pending.isOver }
            if pending.isOver { return sending(nil) }
            exchange.onLeave(pending.cancel)
            pending.wait { sending(pending.isCancelled ? exchange.whyCancelled : nil) }
        }
    }

    /// Upgrades the connection to a page's channel, or sends why not.
    private func openChannel(_ exchange: Exchange, by tasks: HandlerTasks) {
        let gateway = service.gateway
        var request = Request(
            known.head, remoteAddress: exchange.remoteAddress, localAddress: exchange.localForOthers,
            id: Request.id(known.head), answerer: gateway)
        var refusal = gateway.refusesEntry(of: &request)
        if refusal == nil {
            do {
                try PageChannel.open(exchange, request, gateway, by: tasks, service.log)
                return exchange.end()
            } catch {
                refusal = Gateway.refusal(error)
                refusal?.answeredBy = "refused"
                refusal?.refusal = error.message
            }
        }
        guard var refusal else { return }
        gateway.finish(&refusal, for: request)
        exchange.send(refusal, to: request, by: gateway, since: .now, service.log)
    }
}

extension Exchange {
    /// The address of this machine that a caller from elsewhere came to; nil for a caller on this machine.
    fileprivate var localForOthers: String? { remoteAddress?.isOfThisMachine == true ? nil : localAddress }
}

extension String {
    /// Whether this address, without a port, is one of this machine; most callers have one of the first two.
    fileprivate var isOfThisMachine: Bool {
        self == "127.0.0.1" || self == "::1" || Authority.isLoopback(address: self)
    }
}

private struct StreamedBody: ChunkSource {
    let exchange: Exchange

    var length: Int? { exchange.head.framing.length }

    func next() async throws -> [UInt8]? { try await exchange.nextChunk() }

    func reserve(_ count: Int) throws(HTTPError) {
        do throws(NoRoom) {
            try exchange.reserve(count)
        } catch {
            throw HTTPError(.serviceUnavailable, error.description)
        }
    }
}

private final class EngineLoop: HandlerLoop {
    let watch: LoopWatch
    private let loop: Loop

    init(_ loop: Loop, logger: Logger) {
        self.loop = loop
        watch = LoopWatch(logger: logger)
    }

    deinit { watch.end() }

    var isCurrent: Bool { loop.isCurrent }

    func enqueue(_ step: @escaping @Sendable () -> Void) { loop.enqueue(step) }
}
