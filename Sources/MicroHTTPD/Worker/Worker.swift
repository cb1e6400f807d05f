import EventLoop
import Glibc
import HTTPTypes
import Logging

/// One loop and the daemon that it drives; a server has a few.
///
/// Its state belongs to the loop.
final class Worker: Loop.Driven, Sendable {
    let server: HTTPServer
    /// Which of the server's loops this is.
    let index: Int
    let reading: HeadReading
    /// Copied from the server, as are the limits.
    let scheme: String
    let limits: Limits

    /// How many connections are accepted in a row before the open ones get their turn.
    private static let acceptedAtOnce = 256

    private let listening: Int32
    private let connectionLimit: Int
    /// How many connections may be open above the limit while others are closed for them.
    private var excess: Int { min(16, connectionLimit / 2 + 1) }
    let upgrades: Upgrades
    private let box: LoopBound<State>

    struct State {
        /// It must outlive the daemon.
        let callbacks = LibraryDaemon.Callbacks()
        var daemon: LibraryDaemon!
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Exchanges whose handler runs or whose answer is being sent.
        var underWay = 0
        /// Those of them whose caller has left.
        var callerless: [ObjectIdentifier: Exchange] = [:]
        /// Connections that the loop watches for their callers to leave, from their first suspension on.
        var watched: [Int32: Connection] = [:]
        let handshakes: Handshakes
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

    /// The state, for the loop's thread only.
    var state: State {
        unsafeAddress { UnsafePointer(box.address) }
        unsafeMutableAddress { box.address }
    }

    var loop: Loop { box.loop }

    /// True when the server stops.
    var isDraining: Bool { state.isDraining }

    init(
        _ server: HTTPServer, index: Int, listening: Int32, connectionLimit: Int, reading: HeadReading
    ) throws {
        self.server = server
        self.index = index
        self.reading = reading
        scheme = server.scheme
        limits = server.limits
        self.connectionLimit = connectionLimit
        self.listening = listening
        let loop = try Loop()
        upgrades = Upgrades(loop)
        box = LoopBound(State(handshakes: Handshakes(loop), responses: ReusableResponses(of: loop)), to: loop)
        state.callbacks.call(self)
        upgrades.onEnd { [unowned self] in upgradeEnded() }
        let settings = LibraryDaemon.Settings(
            connectionLimit: connectionLimit + 2 * excess,
            idleSeconds: UInt32(clamping: max(1, limits.idleTime.components.seconds)), poolBytes: limits.pool,
            isStrict: reading.isLibraryStrict, identity: server.tls)
        guard let daemon = LibraryDaemon(state.callbacks, settings) else {
            guard let startProblem = state.startProblem else {
                throw SystemError("libmicrohttpd cannot start")
            }
            throw ListenError("libmicrohttpd cannot start: \(startProblem)")
        }
        state.daemon = daemon
        do {
            try loop.listen(on: listening)
            try loop.start(self, socket: daemon.descriptor)
        } catch {
            daemon.stop()
            throw error
        }
    }

    // MARK: Driven by the loop

    func run() {
        state.daemon.run()
        state.handshakes.libraryHasRun()
        upgrades.libraryHasRun()
    }

    var timeout: Int32 { state.daemon.timeout }

    func changed(_ socket: Int32) {
        if !state.handshakes.goOn(socket) { state.watched[socket]?.callerLeft() }
    }

    /// Accepts the connections that wait.
    ///
    /// The library would take ten in each of its runs, and at some thousand busy connections a newcomer would wait for
    /// seconds; and where descriptors are short it would wait for a connection to close, for ever if none does.
    func accept() {
        // A stop in this turn of the loop has closed the socket, whose number may be another server's by now.
        guard !state.isDraining else { return }
        for _ in 0..<Self.acceptedAtOnce {
            guard openCount < connectionLimit + excess else { return loop.stopListening() }
            let code = state.daemon.accept(from: listening)
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
        guard !state.isDraining, !loop.isListening, openCount < connectionLimit + excess else { return }
        try? loop.listen(on: listening)
    }

    /// The open connections, upgraded ones too, counted by the descriptors that they take.
    private var openCount: Int { state.connections.count + upgrades.extraCount }

    func tick() {
        resumeListening()
        upgrades.second()
        // One loop does it for all.
        if index == 0 { server.bodyMemory.returnIfQuiet() }
        server.bodyMemory.returnEndOfHeap(since: &state.memoryReturns)
        for connection in state.connections.values {
            if let slowness = connection.check(server.limits) { turnAway(connection, slowness) }
        }
    }

    /// Tells a caller that it was too slow with its request (RFC 9110, section 15.5.9), and cuts it off.
    ///
    /// The library takes an answer only when a request is complete, or when its body has not begun.
    private func turnAway(_ connection: Connection, _ slowness: String) {
        let (head, body) = server.refuse(
            Refusal(.requestTimeout, "\(slowness); send it faster, or in smaller requests"))
        connection.cut(saying: Answer(head, .bytes(body), closing: true).written)
    }

    // MARK: Called by exchanges, on the loop

    /// Watches for the caller of a connection to leave, until its end: one that was suspended will be again.
    func watch(_ connection: Connection) {
        guard !connection.isWatched else { return }
        do {
            try loop.watchForEnd(of: connection.socket)
            connection.isWatched = true
            state.watched[connection.socket] = connection
        } catch {
            server.logger.error("a caller's leaving will not be noticed: \(error)")
        }
    }

    /// Ends this watching; must come before the library closes the socket.
    func unwatch(_ connection: Connection) {
        guard connection.isWatched else { return }
        connection.isWatched = false
        state.watched[connection.socket] = nil
        loop.unwatch(connection.socket)
    }

    /// An idle response with these fields and this length, or a new one.
    func takeResponse(_ fixed: [UInt8], length: Int) -> ReusableResponse? {
        state.responses.take(fixed, length: length)
    }

    /// Takes back a response that was sent, or whose connection has closed.
    func giveBack(_ response: ReusableResponse) { state.responses.giveBack(response) }

    func began() { state.underWay += 1 }

    /// Called when a connection has closed while its handler still runs.
    func lostCaller(of exchange: Exchange) { state.callerless[ObjectIdentifier(exchange)] = exchange }

    func ended(_ exchange: Exchange) {
        assert(state.underWay > 0, "an exchange has ended twice")
        if !state.callerless.isEmpty { state.callerless[ObjectIdentifier(exchange)] = nil }
        state.underWay -= 1
        tellIfIdle()
    }

    private func upgradeEnded() {
        resumeListening()
        tellIfIdle()
    }

    // MARK: Stopping

    /// Takes no more connections and closes those that wait for a request.
    func stopListening() {
        state.isDraining = true
        loop.stopListening()
        // While any duplicate is open, callers still reach the port.
        close(listening)
        for connection in state.connections.values {
            switch connection.stage {
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
                state.idleWaiter = { continuation.resume() }
                tellIfIdle()
            }
        }
    }

    /// Cancels every handler that still runs.
    ///
    /// Callers that have no answer get a 503. Other connections are closed, those that were upgraded too.
    func cancelAll() {
        upgrades.abortAll()
        for connection in state.connections.values { connection.exchange?.stop() }
        for exchange in state.callerless.values { exchange.release() }
    }

    /// Forgets the handlers that ignore their cancellation; returns how many there are.
    func abandon() -> Int {
        let answering = state.connections.values.compactMap(\.exchange)
            .filter { !$0.state.handler.hasReturned }
        let count = answering.count + state.callerless.count
        state.callerless = [:]
        tellIfIdle(evenWith: state.underWay, open: true)
        return count
    }

    /// Stops the daemon and the loop.
    ///
    /// `MHD_stop_daemon` aborts the process while a connection is suspended; all have been resumed by now, and one more
    /// run lets the library take notice.
    func stop() {
        for connection in state.watched.values { connection.exchange?.release() }
        state.handshakes.release()
        upgrades.abortAll()
        state.daemon.run()
        state.daemon.stop()
        loop.stop()
    }

    private func tellIfIdle(evenWith count: Int = 0, open: Bool = false) {
        guard let idleWaiter = state.idleWaiter, state.underWay <= count, open || upgrades.isEmpty
        else { return }
        state.idleWaiter = nil
        idleWaiter()
    }
}

// Called by the library, on the loop's thread.
extension Worker {
    func connectionStarted(_ connection: LibraryConnection) -> Connection {
        let new = Connection(connection, of: loop)
        state.connections[ObjectIdentifier(new)] = new
        state.handshakes.began(new)
        if openCount > connectionLimit { makeRoom(for: new) }
        return new
    }

    func connectionClosed(_ connection: Connection) {
        state.connections[ObjectIdentifier(connection)] = nil
        unwatch(connection)
        state.handshakes.ended(connection)
        upgrades.connectionClosed(connection)
        resumeListening()
    }

    /// Closes the connection that has waited longest for its first head, else the one that is idle longest, and only
    /// then one that has just come.
    private func makeRoom(for new: Connection?) {
        let waiting = state.connections.values.filter { connection in
            switch connection.stage {
            case .handshake, .idle, .head: connection !== new && !connection.isCut
            case .body, .sending, .busy: false
            }
        }
        let now = Loop.now
        func rank(_ connection: Connection) -> Int {
            guard connection.isNew else { return 1 }
            return now - connection.since > 1000 ? 0 : 2
        }
        let oldest = waiting.min { (rank($0), $0.since) < (rank($1), $1.since) }
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
