import CMicroHTTPD
import Glibc

// On the loop's thread: how it opens, closes and ends.
extension WebSocket {
    /// The connection is ours; `extra` came behind the handshake.
    func open(_ extra: [UInt8]) {
        guard stage == .opening, case .some = descriptor else { return }
        stage = .open
        heard = sockets.tick
        moved = sockets.tick
        sockets.look(at: self, in: limits.silentSeconds)
        events?.opened(self)
        if sockets.isStopping { close(.goingAway, WebSockets.stopping) }
        if !extra.isEmpty {
            var extra = extra
            extra.withUnsafeMutableBytes { receive($0) }
        }
        flush()
    }

    /// The socket that is read and written; nil before it is there, and when it is not ours any more.
    var descriptor: Int32? {
        switch transport {
        case .none: nil
        case .own(let socket): socket
        case .encrypted(let stream): stream.socket
        }
    }

    /// We have said that we close, or shall in a moment.
    func beginClosing() {
        guard stage == .open else { return }
        stage = .closing
        setDeadline()
    }

    /// There is nothing more to say than what waits: it goes out, and the connection ends.
    private func finish(_ end: WebSocketEnd) {
        guard stage == .open || stage == .closing else { return }
        stage = .finishing
        setDeadline()
        flushSoon()
        tell(end)
    }

    /// What waits has gone out.
    private func endSending() {
        stage = .draining
        if case .encrypted(let stream) = transport { stream.finishSending() }
        // Were it closed, what the peer still sends would be answered by a reset, which overtakes our last frame.
        if let descriptor { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Ends it now; what has not gone out will not.
    func abort(_ message: String) {
        guard stage != .closed else { return }
        outgoing.withLock { $0.drop() }
        leave()
        tell(WebSocketEnd(.abnormal, message))
    }

    /// Lets go of the connection.
    private func leave() {
        guard stage != .closed else { return }
        stage = .closed
        outgoing.withLock { $0.drop() }
        let transport = transport
        self.transport = .none
        sockets.remove(self, transport)
    }

    private func tell(_ end: WebSocketEnd) {
        guard let events else { return }
        self.events = nil
        events.closed(self, end)
    }

    private func setDeadline() {
        if deadline == .max { taken = Connection.traffic(of: descriptor)?.acknowledged ?? 0 }
        deadline = sockets.tick + limits.closeSeconds
        sockets.look(at: self, in: limits.closeSeconds)
    }

    /// A time has come at which something may be due.
    func check() {
        let tick = sockets.tick
        guard tick < deadline else {
            // Whoever still takes what waits, here or in the system, gets it all.
            if let acknowledged = Connection.traffic(of: descriptor)?.acknowledged, acknowledged > taken {
                taken = acknowledged
                return setDeadline()
            }
            return abort("the connection was not closed in \(limits.closeSeconds) s")
        }
        guard stage == .open else { return sockets.look(at: self, in: deadline - tick) }
        // Our ping waits behind what is being taken.
        let silence = tick - (isBlocked ? max(heard, moved) : heard)
        if silence >= 2 * limits.silentSeconds {
            return abort("nothing came for \(silence) s, and no answer to a ping")
        }
        if isBlocked, tick - moved >= 2 * limits.silentSeconds {
            return abort("nothing was taken for \(tick - moved) s")
        }
        if silence >= limits.silentSeconds, !isPinged {
            isPinged = true
            outgoing.withLock { $0.ping() }
            flush()
        }
        guard stage == .open else { return }
        sockets.look(at: self, in: (isPinged ? 2 : 1) * limits.silentSeconds - silence)
    }
}

// Receiving.
extension WebSocket {
    /// The socket is ready.
    func ready(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer) {
        if events & EPOLLOUT.rawValue != 0 { flush() }
        let readable = EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        guard events & readable != 0 else { return }
        let count = read(into: buffer)
        switch count {
        case 1...: receive(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        case 0: abort("the connection ended")
        default: if errno != EAGAIN && errno != EINTR { abort("the connection broke") }
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch transport {
        case .none: -1
        case .own(let socket): recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        case .encrypted(let stream): stream.read(into: buffer)
        }
    }

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        heard = sockets.tick
        isPinged = false
        guard stage == .open || stage == .closing else { return }
        do {
            try parser.parse(bytes) { take($0) }
        } catch {
            _ = outgoing.withLock { $0.shut(error.code, error.message) }
            finish(WebSocketEnd(error.code, error.message))
        }
    }

    private func take(_ event: WebSocketParser.Event) {
        switch event {
        case .text(let bytes):
            if stage == .open { events?.text(self, bytes) }
        case .binary(let bytes):
            if stage == .open { events?.binary(self, bytes) }
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
        guard stage != .opening, let descriptor else {
            // Asked for again when it opens.
            return
        }
        let (written, isShut) = outgoing.withLock { outgoing in
            let written =
                switch transport {
                case .encrypted(let stream): outgoing.write { bytes, _ in stream.write(bytes) }
                case .own, .none:
                    outgoing.write { bytes, isLast in
                        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
                        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    }
                }
            return (written, outgoing.isShut)
        }
        if written.sent > 0 { moved = sockets.tick }
        if isShut { beginClosing() }
        switch written.progress {
        case .drained:
            waitForRoom(false)
            if stage == .finishing { endSending() }
        case .blocked: waitForRoom(true)
        case .broken: abort("the connection broke")
        }
    }

    private func waitForRoom(_ waits: Bool) {
        guard waits != isBlocked, let descriptor else { return }
        isBlocked = waits
        moved = sockets.tick
        sockets.watch(descriptor, forRoom: waits)
        // The peer has had no chance to answer.
        if !waits { heard = sockets.tick }
    }
}
