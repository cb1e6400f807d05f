package import EventLoop
import Glibc

// On the loop's thread: how it opens, closes and ends.
extension WebSocket: Upgraded {
    var transport: Upgrades.Transport? {
        get { state.transport }
        set { state.transport = newValue }
    }

    var due: Int {
        get { state.due }
        set { state.due = newValue }
    }

    func open(_ extra: [UInt8]) throws {
        guard state.stage == .opening, let descriptor else { return }
        try upgrades.loop.watch(descriptor, for: .readable, self)
        state.stage = .open
        state.heard = upgrades.tick
        state.moved = upgrades.tick
        upgrades.look(at: self, in: limits.silentSeconds)
        state.events?.opened(self)
        if upgrades.isStopping { serverStops() }
        if !extra.isEmpty {
            var extra = extra
            extra.withUnsafeMutableBytes { receive($0) }
        }
        flush()
    }

    /// The socket that is read and written; nil before it is handed over, and when it is released.
    var descriptor: Int32? { state.transport?.end.descriptor }

    func serverStops() { close(.goingAway, Upgrades.stopping) }

    /// Called when our close frame is queued, or will be in a moment.
    func beginClosing() {
        guard state.stage == .open else { return }
        state.stage = .closing
        setDeadline()
    }

    /// Sends what waits, and then ends the connection.
    private func finish(_ end: WebSocketEnd) {
        guard state.stage == .open || state.stage == .closing else { return }
        state.stage = .finishing
        setDeadline()
        flushSoon()
        tell(end)
    }

    /// Ends our direction, when everything has been sent.
    private func endSending() {
        state.stage = .draining
        // If it was closed, bytes that the peer still sends would cause a reset, which overtakes our last frame.
        state.transport?.end.finishSending()
    }

    func abort(_ message: String) {
        guard state.stage != .closed else { return }
        drop()
        leave()
        tell(WebSocketEnd(.abnormal, message))
    }

    /// Closes the connection.
    private func leave() {
        guard state.stage != .closed else { return }
        state.stage = .closed
        drop()
        upgrades.remove(self, within: limits.closeSeconds)
    }

    /// Drops what waits to be sent, and counts no incoming message any more, which is freed with the socket.
    private func drop() {
        outgoing.withLock {
            $0.drop()
            sending.changeAnyway(to: 0)
        }
        receiving.changeAnyway(to: 0)
    }

    private func tell(_ end: WebSocketEnd) {
        guard let events = state.events else { return }
        state.events = nil
        events.closed(self, end)
    }

    private func setDeadline() {
        if state.deadline == .max {
            state.taken = LibraryConnection.traffic(of: descriptor)?.acknowledged ?? 0
        }
        state.deadline = upgrades.tick + limits.closeSeconds
        upgrades.look(at: self, in: limits.closeSeconds)
    }

    func check() {
        let tick = upgrades.tick
        guard tick < state.deadline else {
            // A peer that still takes bytes, which wait here or in the system, gets them all.
            if let acknowledged = LibraryConnection.traffic(of: descriptor)?.acknowledged,
                acknowledged > state.taken
            {
                state.taken = acknowledged
                return setDeadline()
            }
            return abort("the connection was not closed in \(limits.closeSeconds) s")
        }
        guard state.stage == .open else { return upgrades.look(at: self, in: state.deadline - tick) }
        // While bytes wait for the peer, our ping waits behind them: then reading counts as an answer too.
        let silence = tick - (state.isBlocked ? max(state.heard, state.moved) : state.heard)
        if silence >= 2 * limits.silentSeconds {
            return abort("nothing came for \(silence) s, and no answer to a ping")
        }
        if state.isBlocked, tick - state.moved >= 2 * limits.silentSeconds {
            return abort("nothing was taken for \(tick - state.moved) s")
        }
        if silence >= limits.silentSeconds, !state.isPinged {
            state.isPinged = true
            outgoing.withLock { $0.ping() }
            flush()
        }
        guard state.stage == .open else { return }
        upgrades.look(at: self, in: (state.isPinged ? 2 : 1) * limits.silentSeconds - silence)
    }
}

// Receiving.
extension WebSocket: Loop.Guest {
    package func ready(_ socket: Int32, _ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        guard !readiness.isDisjoint(with: [.readable, .hungUp, .failed]) else { return }
        guard let end = state.transport?.end else { return }
        let count = end.read(into: upgrades.buffer)
        switch count {
        case 1...: receive(UnsafeMutableRawBufferPointer(rebasing: upgrades.buffer[..<count]))
        case 0: abort("the connection ended")
        default: if errno != EAGAIN && errno != EINTR { abort("the connection broke") }
        }
    }

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        state.heard = upgrades.tick
        state.isPinged = false
        guard state.stage == .open || state.stage == .closing else { return }
        do {
            try parser.value.parse(bytes) { take($0) }
        } catch {
            return refuse(error.code, error.message)
        }
        if !receiving.change(to: parser.value.keptBytes) { refuse(.tryAgainLater, noRoom.description) }
    }

    /// Closes because of what has come, and drops the rest.
    private func refuse(_ code: WebSocketCloseCode, _ message: String) {
        _ = outgoing.withLock { $0.shut(code, message) }
        parser.value.drop()
        receiving.changeAnyway(to: 0)
        finish(WebSocketEnd(code, message))
    }

    private func take(_ event: WebSocketParser.Event) {
        switch event {
        case .text(let bytes):
            // From now on, its receiver counts its memory.
            receiving.changeAnyway(to: 0)
            if state.stage == .open { state.events?.text(self, bytes) }
        case .binary(let bytes):
            receiving.changeAnyway(to: 0)
            if state.stage == .open { state.events?.binary(self, bytes) }
        case .ping(let payload):
            let isFlushNeeded = outgoing.withLock { outgoing in
                outgoing.pong(payload)
                return !outgoing.isShut && outgoing.askForFlush()
            }
            if isFlushNeeded { flushSoon() }
        case .pong: break
        case .close(let code, let reason):
            _ = outgoing.withLock { $0.shut(code, "") }
            finish(WebSocketEnd(code, reason, wasClean: true))
        }
    }
}

// Sending.
extension WebSocket {
    func flush() {
        guard state.stage != .opening, let transport = state.transport else {
            // It is called again when the socket opens.
            return
        }
        let (written, isShut) = outgoing.withLock { outgoing in
            let written =
                switch transport {
                case .encrypted(let stream): outgoing.write { bytes, _ in stream.write(bytes) }
                case .own(let end): outgoing.write { bytes, isLast in end.write(bytes, isLast: isLast) }
                }
            sending.changeAnyway(to: outgoing.count)
            return (written, outgoing.isShut)
        }
        if written.sent > 0 { state.moved = upgrades.tick }
        if isShut { beginClosing() }
        switch written.progress {
        case .drained:
            waitForRoom(false)
            if state.stage == .finishing { endSending() }
        case .blocked: waitForRoom(true)
        case .broken: abort("the connection broke")
        }
    }

    private func waitForRoom(_ waits: Bool) {
        guard waits != state.isBlocked, let descriptor else { return }
        state.isBlocked = waits
        state.moved = upgrades.tick
        do {
            try upgrades.loop.change(descriptor, waits ? [.readable, .writable] : .readable)
        } catch {
            return abort("\(error)")
        }
        // Until now the peer could not answer a ping, so its silence begins now.
        if !waits { state.heard = upgrades.tick }
    }
}
