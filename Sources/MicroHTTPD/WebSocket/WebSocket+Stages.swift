import Glibc

// For the loop's thread: opening, closing and the end.
extension WebSocket: Upgraded {
    func open(_ transport: any TunnelEnd, _ extra: [UInt8]) throws {
        guard own.value.stage == .opening else { return }
        own.value.transport = transport
        try upgrades.loop.watch(transport.descriptor, for: .readable, self)
        own.value.stage = .open
        own.value.heard = upgrades.own.value.tick
        own.value.moved = upgrades.own.value.tick
        own.value.events?.opened(self)
        if upgrades.own.value.isStopping { serverStops() }
        if !extra.isEmpty {
            var extra = extra
            extra.withUnsafeMutableBytes { receive($0) }
        }
        flush()
    }

    /// The socket; nil before the handover and after the end.
    var descriptor: Int32? { own.value.transport?.descriptor }

    func serverStops() { close(.goingAway, Upgrades.stopping) }

    /// Called when the server's close frame is in the queue, or about to be.
    func beginClosing() {
        guard own.value.stage == .open else { return }
        own.value.stage = .closing
        setDeadline()
    }

    private func finish(_ end: WebSocketEnd) {
        guard own.value.stage == .open || own.value.stage == .closing else { return }
        own.value.stage = .finishing
        setDeadline()
        flushSoon()
        tell(end)
    }

    private func endSending() {
        own.value.stage = .draining
        // Closing the socket while the peer still sends would cause a reset, which can discard the last frame.
        own.value.transport?.finishSending()
    }

    func abort(_ message: String) {
        guard own.value.stage != .closed else { return }
        drop()
        leave()
        tell(WebSocketEnd(.abnormal, message))
    }

    private func leave() {
        guard own.value.stage != .closed else { return }
        own.value.stage = .closed
        drop()
        own.value.transport = nil
        upgrades.remove(self, within: limits.closeSeconds)
    }

    /// Drops frames that wait to be sent, and releases the memory counted for an incomplete message.
    private func drop() {
        outgoing.withLock {
            $0.drop()
            sending.changeAnyway(to: 0)
        }
        receiving.changeAnyway(to: 0)
    }

    private func tell(_ end: WebSocketEnd) {
        guard let events = own.value.events else { return }
        own.value.events = nil
        events.closed(self, end)
    }

    private func setDeadline() {
        if own.value.deadline == .max {
            own.value.taken = LibraryConnection.traffic(of: descriptor)?.acknowledged ?? 0
        }
        own.value.deadline = upgrades.own.value.tick + limits.closeSeconds
    }

    func check() {
        let tick = upgrades.own.value.tick
        guard tick < own.value.deadline else {
            // The deadline is extended while the peer reads bytes that wait here or in the kernel.
            if let acknowledged = LibraryConnection.traffic(of: descriptor)?.acknowledged,
                acknowledged > own.value.taken
            {
                own.value.taken = acknowledged
                return setDeadline()
            }
            return abort("the connection was not closed in \(limits.closeSeconds) s")
        }
        guard own.value.stage == .open else { return }
        // While bytes wait to be sent, a ping waits after them, so progress in sending counts as a sign of life too.
        let silence = tick - (own.value.isBlocked ? max(own.value.heard, own.value.moved) : own.value.heard)
        if silence >= 2 * limits.silentSeconds {
            return abort("no data came for \(silence) s, and no answer to a ping")
        }
        if own.value.isBlocked, tick - own.value.moved >= 2 * limits.silentSeconds {
            return abort("the peer read nothing for \(tick - own.value.moved) s")
        }
        if silence >= limits.silentSeconds, !own.value.isPinged {
            own.value.isPinged = true
            outgoing.withLock { $0.ping() }
            flush()
        }
    }
}

extension WebSocket: Loop.Guest {
    package func ready(_ socket: Int32, _ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        guard !readiness.isDisjoint(with: [.readable, .hungUp, .failed]) else { return }
        guard let end = own.value.transport else { return }
        let count = end.read(into: upgrades.buffer)
        switch count {
        case 1...: receive(UnsafeMutableRawBufferPointer(rebasing: upgrades.buffer[..<count]))
        case 0: abort("the connection ended")
        default: if errno != EAGAIN && errno != EINTR { abort("the connection broke") }
        }
    }

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        own.value.heard = upgrades.own.value.tick
        own.value.isPinged = false
        guard own.value.stage == .open || own.value.stage == .closing else { return }
        do {
            try parser.value.parse(bytes) { take($0) }
        } catch {
            return refuse(error.code, error.message)
        }
        if !receiving.change(to: parser.value.keptBytes) { refuse(.tryAgainLater, noRoom.description) }
    }

    /// Closes because of a violation or a limit, and drops all further input.
    private func refuse(_ code: WebSocketCloseCode, _ message: String) {
        _ = outgoing.withLock { $0.shut(code, message) }
        parser.value.drop()
        receiving.changeAnyway(to: 0)
        finish(WebSocketEnd(code, message))
    }

    private func take(_ event: WebSocketParser.Event) {
        switch event {
        case .text(let bytes):
            // From here the receiver counts the message's memory.
            receiving.changeAnyway(to: 0)
            if own.value.stage == .open { own.value.events?.text(self, bytes) }
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

    func flush() {
        guard own.value.stage != .opening, let transport = own.value.transport else {
            // The socket is not open yet; `open` will flush.
            return
        }
        let (written, isShut) = outgoing.withLock { outgoing in
            let written = outgoing.write { transport.write($0, isLast: $1) }
            sending.changeAnyway(to: outgoing.count)
            return (written, outgoing.isShut)
        }
        if written.sent > 0 { own.value.moved = upgrades.own.value.tick }
        if isShut { beginClosing() }
        switch written.progress {
        case .drained:
            waitForRoom(false)
            if own.value.stage == .finishing { endSending() }
        case .blocked: waitForRoom(true)
        case .broken: abort("the connection broke")
        }
    }

    private func waitForRoom(_ waits: Bool) {
        guard waits != own.value.isBlocked, let descriptor else { return }
        own.value.isBlocked = waits
        own.value.moved = upgrades.own.value.tick
        do {
            try upgrades.loop.change(descriptor, waits ? [.readable, .writable] : .readable)
        } catch {
            return abort("\(error)")
        }
        // Until now the peer could not have answered a ping, so its silence is counted from now.
        if !waits { own.value.heard = upgrades.own.value.tick }
    }
}
