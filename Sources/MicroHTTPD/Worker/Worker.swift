import EventLoop
import Glibc
import HTTPTypes
import Logging

/// One loop and the daemon that it drives; a server has a few.
///
/// Its state belongs to the loop.
final class Worker: Loop.Driven, Sendable {
    let server: HTTPServer
    let index: Int
    let layout: HeadLayout
    /// That of requests in origin form.
    let scheme: String
    /// Copied from the server.
    let limits: Limits

    /// How many connections are accepted in a row before the open ones get their turn.
    private static let acceptedAtOnce = 256

    private let listening: Int32
    private let connectionLimit: Int
    /// How many connections may be open above the limit while others are closed for them.
    private var excess: Int { min(16, connectionLimit / 2 + 1) }
    let upgrades: Upgrades
    let loop: Loop
    let own: LoopBound<State>

    struct State {
        /// It must outlive the daemon.
        let callbacks = LibraryDaemon.Callbacks()
        var daemon: LibraryDaemon!
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Exchanges whose handler runs or whose answer is being sent.
        var underWay = 0
        /// Those of them whose caller has left.
        var callerless: [ObjectIdentifier: Exchange] = [:]
        /// Connections with whose TLS handshake the library goes on in its next run.
        var shakingHands: [Connection] = []
        var knownHeads = KnownHeads()
        var responses: ReusableResponses
        var isDraining = false
        var idleWaiter: (@Sendable () -> Void)?
        /// The library's first complaint, before there was a daemon.
        var startProblem: String?
        /// How often memory had been returned to the system when this loop looked last.
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

    /// Accepts the connections that wait.
    ///
    /// The library would take ten in each of its runs, and at some thousand busy connections a newcomer would wait for
    /// seconds; and where descriptors are short it would wait for a connection to close, for ever if none does.
    func accept() {
        // A stop in this turn of the loop has closed the socket, whose number may be another server's by now.
        guard !own.value.isDraining else { return }
        for _ in 0..<Self.acceptedAtOnce {
            guard openCount < connectionLimit + excess else { return loop.stopListening() }
            let code = own.value.daemon.accept(from: listening)
            switch code {
            case 0, EINTR, ECONNABORTED: loop.setRunDue()
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // The system reports this before it looks whether a connection waits.
                var listener = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
                guard poll(&listener, 1, 0) > 0 else { return }
                // Tried again when a connection has closed, and every second.
                loop.stopListening()
                makeRoom(for: nil)
                let error = SystemError("cannot take a connection", code: code)
                return logShortage(.error, "\(error); let the process open more files (ulimit -n)")
            default: return
            }
        }
    }

    /// Listens again after it had to stop for lack of connections or descriptors.
    private func resumeListening() {
        guard !own.value.isDraining, !loop.isListening, openCount < connectionLimit + excess else { return }
        try? loop.listen(on: listening)
    }

    /// The open connections, upgraded ones too, counted by the descriptors that they take.
    private var openCount: Int { own.value.connections.count + upgrades.own.value.extraCount }

    func tick() {
        resumeListening()
        upgrades.second()
        // One loop does it for all.
        if index == 0 { server.bodyMemory.returnIfQuiet() }
        server.bodyMemory.returnEndOfHeap(since: &own.value.memoryReturns)
        for connection in own.value.connections.values {
            // The library takes an answer only when a request is complete, or when its body has not begun.
            guard let slowness = connection.check(server.limits) else { continue }
            let refusal = Refusal(.requestTimeout, "\(slowness); send it faster, or in smaller requests")
            connection.cut(saying: server.refuse(refusal).written)
        }
    }

    // MARK: Called by exchanges, on the loop

    /// Watches for the caller of a connection to leave, until its end: one that was suspended will be again.
    func watch(_ connection: Connection) {
        guard !connection.own.value.isWatched else { return }
        do {
            // The loop reports it once.
            try watch(connection, for: [.closed, .onceEach])
        } catch {
            server.logger.error("a caller's leaving will not be noticed: \(error)")
        }
    }

    private func watch(_ connection: Connection, for readiness: Readiness) throws {
        try loop.watch(connection.socket, for: readiness, connection)
        connection.own.value.isWatched = true
    }

    /// Ends this watching; must come before the library closes the socket.
    func unwatch(_ connection: Connection) {
        guard connection.own.value.isWatched else { return }
        connection.own.value.isWatched = false
        loop.dismiss(connection.socket)
    }

    /// Suspends the TLS handshakes that are not over, and lets the loop watch their sockets.
    ///
    /// The library takes a connection for readable until its handshake is over, and would run again and again without a
    /// pause while it waits for the caller.
    private func suspendHandshakes() {
        own.value.shakingHands = own.value.shakingHands.filter { connection in
            connection.endHandshake()
            guard case .handshake = connection.own.value.stage else { return false }
            // Where it cannot be watched it is not suspended, and the library runs without a pause.
            guard (try? watch(connection, for: [.readable, .closed])) != nil else { return true }
            connection.handle.suspend()
            return false
        }
    }

    /// Called when the socket of a suspended handshake has bytes, or its peer has left.
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

    // MARK: Stopping

    /// Takes no more connections and closes those that wait for a request.
    func stopListening() {
        own.value.isDraining = true
        loop.stopListening()
        // While any duplicate is open, callers still reach the port.
        close(listening)
        for connection in own.value.connections.values {
            switch connection.own.value.stage {
            case .handshake, .idle: connection.cut()
            case .head, .body, .sending, .busy: break
            }
        }
        upgrades.closeAll()
        loop.setRunDue()
    }

    /// Returns when no handler runs any more, every answer is sent and every upgraded connection closed.
    func becomeIdle() async {
        await withCheckedContinuation { continuation in
            loop.perform { [self] in
                own.value.idleWaiter = { continuation.resume() }
                tellIfIdle()
            }
        }
    }

    /// Cancels every handler that still runs.
    ///
    /// Callers that have no answer get a 503. Other connections are closed, those that were upgraded too.
    func cancelAll() {
        upgrades.abortAll()
        for connection in own.value.connections.values { connection.own.value.exchange?.stop() }
        for exchange in own.value.callerless.values { exchange.release() }
    }

    /// Forgets the handlers that ignore their cancellation; returns how many there are.
    func abandon() -> Int {
        let answering = own.value.connections.values.compactMap { $0.own.value.exchange }
            .filter { !$0.own.value.handler.hasReturned }
        let count = answering.count + own.value.callerless.count
        own.value.callerless = [:]
        tellIfIdle(evenWith: own.value.underWay, open: true)
        return count
    }

    /// Stops the daemon and the loop.
    ///
    /// `MHD_stop_daemon` aborts the process while a connection is suspended; all have been resumed by now, and one more
    /// run lets the library take notice.
    func stop() {
        for connection in own.value.connections.values where connection.own.value.isWatched {
            if case .handshake = connection.own.value.stage {
                resumeHandshake(connection)
            } else {
                connection.own.value.exchange?.release()
            }
        }
        upgrades.abortAll()
        own.value.daemon.run()
        own.value.daemon.stop()
        loop.stop()
    }

    private func tellIfIdle(evenWith count: Int = 0, open: Bool = false) {
        guard let idleWaiter = own.value.idleWaiter, own.value.underWay <= count, open || upgrades.isEmpty
        else { return }
        own.value.idleWaiter = nil
        idleWaiter()
    }
}

// Called by the library, on the loop's thread.
extension Worker {
    func connectionStarted(_ connection: LibraryConnection) -> Connection {
        let new = Connection(connection, of: self)
        own.value.connections[ObjectIdentifier(new)] = new
        if case .handshake = new.own.value.stage { own.value.shakingHands.append(new) }
        if openCount > connectionLimit { makeRoom(for: new) }
        return new
    }

    func connectionClosed(_ connection: Connection) {
        own.value.connections[ObjectIdentifier(connection)] = nil
        unwatch(connection)
        own.value.shakingHands.removeAll { $0 === connection }
        upgrades.connectionClosed(connection)
        resumeListening()
    }

    /// Closes the connection that has waited longest for its first head, else the one that is idle longest, and only
    /// then one that has just come.
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
                "\(connectionLimit) connections are open, and no more are taken; those that wait longest are closed"
            )
        }
    }
}
