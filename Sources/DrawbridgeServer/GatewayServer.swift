import MicroHTTPD
import Synchronization

/// A running HTTP server for a gateway.
///
/// Usually you call ``DrawbridgeGateway/Gateway/run(_:onListening:)``. This type is for tests, and for programs that
/// start and stop several servers.
public final class GatewayServer: Sendable {
    /// The actual address and port.
    public let address: ServerAddress
    let server: HTTPServer
    private let service: Service
    private let isStopped = Atomic(false)
    private let grace: Duration

    /// Binds the port and starts to serve.
    ///
    /// If the address is reachable from other devices, these need an admission (``/Drawbridge/Gateway/admissions``).
    ///
    /// - Throws: `ListenError`, whose text says what to do, if the port cannot be bound.
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

    /// Goes on serving, and prepares for ``stop()``: health is a 503, each answer closes its connection, and the
    /// channel of a page is closed when its calls have ended.
    ///
    /// After `time`, or when no connection has been open for three seconds of it, since then health is not asked either,
    /// it accepts no more connections. It returns when none is open, or after `rest`: a balancer that has connected, or
    /// sent a request, at the last moment has an answer.
    package func drain(for time: Duration, rest: Duration = .seconds(2)) async {
        let (begin, gateway) = (ContinuousClock.now, service.gateway)
        let (end, earliest) = (begin + time, begin + .seconds(3))
        gateway.configure { $0.isDraining = true }
        server.drain()
        while .now < end, .now < earliest || server.quietSeconds < 3, !isStopped.load(ordering: .relaxed) {
            for page in gateway.pages.all {
                // On its loop no message is between its receipt and the acknowledgement, which a close would drop.
                guard let channel = page.connection as? PageChannel else { continue }
                channel.tasks?.loop.enqueue { if page.isIdle { channel.goAway() } }
            }
            try? await Task.sleep(until: min(end, .now + .milliseconds(500)))
        }
        guard !isStopped.load(ordering: .relaxed) else { return }
        await server.endListening()
        let last = ContinuousClock.now + rest
        while .now < last, server.quietSeconds < 1, !isStopped.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Stops: accepts no more requests, waits for running ones during the grace period, then cancels the rest.
    ///
    /// A client whose response has not begun gets a 503. Pending calls to pages end with `PageError.Reason.stopped`.
    public func stop() async { _ = await end() }

    /// Stops like ``stop()``, and returns the number of handlers that ignored their cancellation.
    func end() async -> Int {
        let isFirst = !isStopped.exchange(true, ordering: .relaxed)
        if isFirst { service.gateway.serverIsStopping() }
        let leftBehind = await server.end(within: grace) {
            if isFirst { service.gateway.serverHasStopped() }
        }
        // Removed only once, because later another server of this process may have the port.
        if isFirst { OwnPorts.remove(address.port) }
        service.log?.writer.flush()
        return leftBehind
    }
}

extension WaitingBytes: WaitingMemory {}

/// Shared by all requests: the gateway, the access log, and the idle tasks for handlers on each loop.
private final class Service: Sendable {
    let gateway: Gateway
    let log: AccessLog?
    private let tasks: Mutex<[HandlerTasks?]>

    init(_ gateway: Gateway, _ log: AccessLog?, loops: Int) {
        self.gateway = gateway
        self.log = log
        tasks = Mutex(Array(repeating: nil, count: loops))
    }

    /// The idle tasks for handlers on the exchange's loop, made on first use.
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
        // Only these two reasons are shown as a page: others may quote the request.
        if refusal.isForPage, status == .requestHeaderFieldsTooLarge || status == .uriTooLong {
            response = PlainPage.response(
                title: "Too long", "<h1>The request is too long</h1><p>\(reason).</p>")
            response.status = status
        }
        return (response.head, response.body.bytes ?? [])
    }
}

/// Handles the requests with one head: gets responses from the gateway and sends them.
private final class GatewayHead: HeadHandler {
    private let known: KnownHead
    private let service: Service

    /// A constant start time for requests that are not logged, which saves reading the clock.
    private static let unlogged = ContinuousClock.now

    init(_ head: AuditedHead, _ service: Service) {
        known = KnownHead(
            RequestHead(
                head.method, scheme: head.scheme, authority: head.authority, target: head.target,
                headers: head.headers, isAbsoluteForm: head.isAbsoluteForm, isOldVersion: head.isOldVersion),
            isRepeated: head.isRepeated.load(ordering: .relaxed))
        self.service = service
    }

    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?) {
        let gateway = service.gateway
        let plan = gateway.plan(
            for: Request(
                known.head, remoteAddress: remoteAddress,
                localAddress: remoteAddress.map(IPAddress.isLoopback) == true ? nil : localAddress))
        // The closure retains the plan until the body has been read.
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

    /// - Parameter decided: the plan made in `chooseBody`; nil if that was not called.
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
            decided.flatMap { gateway.kept($0, with: body, by: exchange) }
            ?? gateway.plan(
                for: known, body, from: exchange.remoteAddress, at: exchange.localForOthers, caller: exchange,
                on: tasks.loop)
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
            // A handler that only calls an actor finishes quickly, so the loop's tasks run before this waits.
            exchange.drainTasks { pending.isOver }
            if pending.isOver { return sending(nil) }
            exchange.onLeave(pending.cancel)
            pending.wait { sending(pending.isCancelled ? exchange.whyCancelled : nil) }
        }
    }

    /// Upgrades the connection to the channel of a page, or sends an error.
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
    /// The server's address that the client connected to; nil for a client on this machine.
    fileprivate var localForOthers: String? {
        remoteAddress.map(IPAddress.isLoopback) == true ? nil : localAddress
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
