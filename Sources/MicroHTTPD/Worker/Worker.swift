import Glibc
import Synchronization

/// A loop and the libmicrohttpd daemon that it drives; a server has several workers.
///
/// Sendable, because its state belongs to the loop.
final class Worker: Loop.Driven, Sendable {
    let server: HTTPServer
    let index: Int
    let layout: HeadLayout
    let scheme: String
    let limits: Limits

    /// The maximum number of connections accepted in a row, so that open ones are not starved.
    private static let acceptedAtOnce = 256

    private let listening: Int32
    private let connectionLimit: Int
    /// The number of connections above the limit that are accepted while others are being closed for them.
    private var excess: Int { min(16, connectionLimit / 2 + 1) }
    let upgrades: Upgrades
    let loop: Loop
    let own: LoopBound<State>
    /// For how many seconds no connection was open and none came.
    let quietSeconds = Atomic(0)

    struct State {
        /// Must live longer than the daemon.
        let callbacks = LibraryDaemon.Callbacks()
        var daemon: LibraryDaemon!
        var connections: [ObjectIdentifier: Connection] = [:]
        var underWay = 0
        /// Exchanges whose client has disconnected while the handler runs.
        var callerless: [ObjectIdentifier: Exchange] = [:]
        /// Connections whose TLS handshake the library continues in its next run.
        var shakingHands: [Connection] = []
        var knownHeads = KnownHeads()
        var responses: ReusableResponses
        var phase = Phase.serving
        /// Whether a connection came since the last second.
        var hasNews = false
        var idleWaiter: (@Sendable () -> Void)?
        /// The library's first log message during a start; used as the error if the start fails.
        var startProblem: String?
        /// The number of returns of memory that this loop has taken part in.
        var memoryReturns = 0
        var lastLog = 0
        var lastShortageLog = 0
    }

    init(
        _ server: HTTPServer, index: Int, sharing socket: ListeningSocket, connectionLimit: Int,
        layout: HeadLayout
    ) throws {
        self.server = server
        self.index = index
        self.layout = layout
        scheme = server.tls == nil ? "http" : "https"
        limits = server.limits
        self.connectionLimit = connectionLimit
        loop = try Loop()
        listening = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        guard listening >= 0 else { throw SystemError("cannot share the listening socket") }
        upgrades = Upgrades(loop)
        own = LoopBound(State(responses: ReusableResponses(of: loop)), to: loop)
        own.value.callbacks.call(self)
        upgrades.own.value.onEnd = { [unowned self] in
            resumeListening()
            tellIfIdle()
        }
        let daemon = LibraryDaemon(
            own.value.callbacks, connectionLimit: connectionLimit + 2 * excess,
            idleSeconds: UInt32(clamping: max(1, limits.idleTime.components.seconds)), poolBytes: limits.pool,
            isStrict: layout.isLibraryStrict, identity: server.tls)
        guard let daemon else {
            let (code, problem) = (errno, "libmicrohttpd cannot start")
            close(listening)
            if let startProblem = own.value.startProblem { throw ListenError("\(problem): \(startProblem)") }
            throw SystemError(problem, code: code)
        }
        own.value.daemon = daemon
        do {
            try loop.listen(on: listening)
            try loop.start(self, socket: daemon.descriptor)
        } catch {
            daemon.stop()
            close(listening)
            throw error
        }
    }

    // MARK: Driven by the loop

    func run() {
        own.value.daemon.run()
        if !own.value.shakingHands.isEmpty { suspendHandshakes() }
        upgrades.libraryHasRun()
    }

    var timeout: Int32 { own.value.daemon.timeout }

    /// Accepts waiting connections.
    ///
    /// The library itself would accept ten per run: with thousands of busy connections, a new one would wait for
    /// seconds. And without free descriptors it would wait until a connection closes, possibly forever.
    func accept() {
        // A stop in this round has closed the socket, and its number may belong to another socket now.
        guard own.value.phase.accepts else { return }
        for _ in 0..<Self.acceptedAtOnce {
            guard openCount < connectionLimit + excess else { return loop.stopListening() }
            let code = own.value.daemon.accept(from: listening)
            switch code {
            case 0, EINTR, ECONNABORTED: loop.setRunDue()
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // The kernel returns these errors even if no connection is waiting.
                var listener = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
                guard poll(&listener, 1, 0) > 0 else { return }
                // Listening is resumed when a connection has closed, and every second.
                loop.stopListening()
                makeRoom(for: nil)
                let error = SystemError("cannot take a connection", code: code)
                return logShortage(.error, "\(error); let the process open more files (ulimit -n)")
            default: return
            }
        }
    }

    /// Listens again, after accepting was paused for lack of connections or descriptors.
    private func resumeListening() {
        guard own.value.phase.accepts, !loop.isListening, openCount < connectionLimit + excess
        else { return }
        try? loop.listen(on: listening)
    }

    /// The number of open connections, including upgraded ones, counted by their descriptors.
    private var openCount: Int { own.value.connections.count + upgrades.own.value.extraCount }

    func tick() {
        let isQuiet = openCount == 0 && !own.value.hasNews
        quietSeconds.store(isQuiet ? quietSeconds.load(ordering: .relaxed) + 1 : 0, ordering: .relaxed)
        own.value.hasNews = false
        resumeListening()
        upgrades.second()
        // Called by one loop only, because all loops share the memory.
        if index == 0 { server.bodyMemory.returnIfQuiet() }
        server.bodyMemory.returnEndOfHeap(since: &own.value.memoryReturns)
        for connection in own.value.connections.values {
            // Sent without the library, which accepts a response only before a body has begun or after its end.
            guard let slowness = connection.check(server.limits) else { continue }
            let refusal = Refusal(.requestTimeout, "\(slowness); send it faster, or in smaller requests")
            connection.cut(saying: server.refuse(refusal).written)
        }
    }

    // MARK: Called by exchanges, on the loop

    /// Whether so many exchanges are under way that another round of the loop has work to do anyway.
    var isBusy: Bool { own.value.underWay >= 8 }

    /// Watches a connection for a disconnect, until it closes: a connection that was suspended once is suspended again.
    func watch(_ connection: Connection) {
        guard !connection.own.value.isWatched else { return }
        do {
            // Edge-triggered: the loop reports a disconnect once.
            try watch(connection, for: [.closed, .onceEach])
        } catch {
            server.logger.error("a client's disconnect will not be noticed: \(error)")
        }
    }

    private func watch(_ connection: Connection, for readiness: Readiness) throws {
        try loop.watch(connection.socket, for: readiness, connection)
        connection.own.value.isWatched = true
    }

    /// Stops watching a connection; call it before the library closes the socket.
    func unwatch(_ connection: Connection) {
        guard connection.own.value.isWatched else { return }
        connection.own.value.isWatched = false
        loop.dismiss(connection.socket)
    }

    /// Suspends unfinished TLS handshakes, and lets the loop watch their sockets.
    ///
    /// During a handshake the library treats a connection as always readable: waiting would use a whole core.
    private func suspendHandshakes() {
        own.value.shakingHands = own.value.shakingHands.filter { connection in
            connection.endHandshake()
            guard case .handshake = connection.own.value.stage else { return false }
            // If watching fails, the connection is not suspended, at the cost of a busy loop.
            guard (try? watch(connection, for: [.readable, .closed])) != nil else { return true }
            connection.handle.suspend()
            return false
        }
    }

    /// Called when the socket of a suspended handshake is readable or closed.
    func resumeHandshake(_ connection: Connection) {
        unwatch(connection)
        connection.handle.resume()
        loop.setRunDue()
        own.value.shakingHands.append(connection)
    }

    func ended(_ exchange: Exchange) {
        assert(own.value.underWay > 0, "an exchange has ended twice")
        if !own.value.callerless.isEmpty { own.value.callerless[ObjectIdentifier(exchange)] = nil }
        own.value.underWay -= 1
        tellIfIdle()
    }

    func closePort() {
        loop.stopListening()
        // The port stays open until the last duplicate of the socket is closed.
        close(listening)
        quietSeconds.store(0, ordering: .relaxed)
    }

    /// Accepts no more connections, and closes those without a request.
    func stopListening() {
        if own.value.phase.accepts { closePort() }
        own.value.phase = .stopping
        for connection in own.value.connections.values {
            switch connection.own.value.stage {
            case .handshake, .idle: connection.cut()
            case .head, .body, .sending, .busy: break
            }
        }
        upgrades.closeAll()
        loop.setRunDue()
    }
}

// Called by libmicrohttpd on the loop's thread.
extension Worker {
    func connectionStarted(_ connection: LibraryConnection) -> Connection {
        let new = Connection(connection, of: self)
        own.value.hasNews = true
        own.value.connections[ObjectIdentifier(new)] = new
        if case .handshake = new.own.value.stage { own.value.shakingHands.append(new) }
        if openCount > connectionLimit { makeRoom(for: new) }
        return new
    }

    func connectionClosed(_ connection: Connection) {
        own.value.connections[ObjectIdentifier(connection)] = nil
        connection.closed()
        unwatch(connection)
        own.value.shakingHands.removeAll { $0 === connection }
        upgrades.connectionClosed(connection)
        resumeListening()
    }

    /// Closes one connection for a new one: the one that has waited longest for its first head (over a second), else
    /// the one that is idle longest, else the oldest new one.
    private func makeRoom(for new: Connection?) {
        let waiting = own.value.connections.values.filter { connection in
            switch connection.own.value.stage {
            case .handshake, .idle, .head: connection !== new && !connection.own.value.isCut
            case .body, .sending, .busy: false
            }
        }
        let now = Loop.now
        func rank(_ connection: Connection) -> Int {
            guard connection.own.value.isNew else { return 1 }
            return now - connection.own.value.since > 1000 ? 0 : 2
        }
        let oldest = waiting.min { (rank($0), $0.own.value.since) < (rank($1), $1.own.value.since) }
        guard let oldest else { return }
        oldest.cut()
        if new != nil {
            logShortage(
                .warning,
                "the limit of \(connectionLimit) connections is reached: those that wait longest are closed for new ones"
            )
        }
    }
}
