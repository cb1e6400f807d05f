import Glibc

/// Forwards bytes between a client and an upstream in both directions, unchanged.
///
/// A side is read only while no bytes wait for the other side, so at most one buffer is used per direction, and none in
/// an idle tunnel. The end of one direction is passed on; after both ends the tunnel is closed. An error on one side
/// closes both. All state belongs to the loop.
final class Tunnel: Upgraded, Loop.Guest {
    /// The maximum number of reads in a row, after which other sockets get their turn.
    private static let readsAtOnce = 8

    private let upgrades: Upgrades
    private let silentSeconds: Int
    private let own: LoopBound<State>

    private struct State {
        let upstream: TunnelSide
        /// Nil until the library hands the client's connection over.
        var caller: TunnelSide?
        /// Bytes that the upstream sent before the handover.
        var first: [UInt8]
        var isClosed = false
        /// The tick of the last activity.
        var active = 0
        var onClose: (() -> Void)?
    }

    init(to upstream: any TunnelEnd, first: [UInt8], silentSeconds: Int, in upgrades: Upgrades) {
        own = LoopBound(State(upstream: TunnelSide(upstream), first: first), to: upgrades.loop)
        self.silentSeconds = silentSeconds
        self.upgrades = upgrades
    }

    func onClose(_ tell: @escaping () -> Void) { own.value.onClose = tell }

    func open(_ transport: any TunnelEnd, _ extra: [UInt8]) throws {
        if upgrades.own.value.isStopping { return serverStops() }
        let (caller, upstream) = (TunnelSide(transport, waiting: own.value.first), own.value.upstream)
        own.value.first = []
        own.value.caller = caller
        upstream.wait(extra)
        // Both sides are watched, also one that must not be read yet, so that a reset is noticed.
        for side in [caller, upstream] { try watch(side, for: .readable) }
        act { move(from: caller, to: upstream) && move(from: upstream, to: caller) }
    }

    /// Closes without a message, since the engine does not know the protocol in the tunnel (unlike a WebSocket's).
    func serverStops() { close() }

    func abort(_ message: String) { close() }

    /// Closes a tunnel with one open direction, if nothing was sent for too long.
    func check() {
        guard let caller = own.value.caller, caller.hasEnded || own.value.upstream.hasEnded else { return }
        if upgrades.own.value.tick - own.value.active >= silentSeconds { close() }
    }

    // MARK: Called by the loop

    func ready(_ socket: Int32, _ readiness: Readiness) {
        guard let caller = own.value.caller else { return }
        let (side, other) =
            socket == caller.end.descriptor ? (caller, own.value.upstream) : (own.value.upstream, caller)
        act {
            let isLost = !readiness.isDisjoint(with: [.failed, .hungUp])
            if isLost {
                guard !hasFailed(side) else { return false }
                // Stop watching this side: the loop would report the failure forever, as nothing clears it.
                if side.watched == [] { dismiss(side) }
            }
            if isLost || readiness.contains(.writable) {
                if other.hasEnded, !side.isBlocked {
                    if !side.isFinished { side.finish() }
                } else if !move(from: other, to: side) {
                    return false
                }
            }
            return isLost || readiness.contains(.readable) ? move(from: side, to: other) : true
        }
    }

    func timeIsUp() {
        guard let caller = own.value.caller else { return }
        act {
            (!caller.isDue || move(from: caller, to: own.value.upstream))
                && (!own.value.upstream.isDue || move(from: own.value.upstream, to: caller))
        }
    }

    /// Runs an action; if that returns false, a side has failed and the tunnel is closed; else the watching is updated.
    private func act(_ action: () -> Bool) {
        guard !own.value.isClosed, let caller = own.value.caller else { return }
        own.value.active = upgrades.own.value.tick
        guard action() else { return close() }
        if caller.isFinished, own.value.upstream.isFinished { return close() }
        if caller.isDue || own.value.upstream.isDue { upgrades.loop.setTimer(for: self, in: 0) }
        do {
            try watch(caller, other: own.value.upstream)
            try watch(own.value.upstream, other: caller)
        } catch {
            close()
        }
    }

    /// Forwards bytes from `source` while `target` accepts them; returns false if either has failed.
    private func move(from source: TunnelSide, to target: TunnelSide) -> Bool {
        source.isDue = false
        guard target.flush() else { return false }
        var reads = 0
        while !target.isBlocked, !source.hasEnded {
            guard reads < Self.readsAtOnce else {
                source.isDue = true
                return true
            }
            reads += 1
            let count = source.end.read(into: upgrades.buffer)
            if count > 0 {
                guard target.send(UnsafeRawBufferPointer(rebasing: upgrades.buffer[..<count])) else {
                    return false
                }
            } else if count == 0 {
                source.hasEnded = true
            } else if errno == EAGAIN {
                return true
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Whether the socket has a pending error, such as a reset.
    private func hasFailed(_ side: TunnelSide) -> Bool {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(side.end.descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0
    }

    /// Watches a side for reading while the other accepts bytes, and for writing while bytes wait for this side.
    private func watch(_ side: TunnelSide, other: TunnelSide) throws {
        var wanted: Readiness = []
        if !side.hasEnded, !other.isBlocked { wanted.insert(.readable) }
        // The end of the direction needs room too: without it, a TLS close_notify would be lost.
        if side.isBlocked || other.hasEnded && !side.isFinished { wanted.insert(.writable) }
        // A side with a lost connection stays unwatched until there is something to read or write.
        guard wanted != side.watched ?? [] else { return }
        try watch(side, for: wanted)
    }

    private func watch(_ side: TunnelSide, for readiness: Readiness) throws {
        try upgrades.loop.watch(side.end.descriptor, for: readiness, self)
        side.watched = readiness
    }

    private func dismiss(_ side: TunnelSide) {
        upgrades.loop.dismiss(side.end.descriptor)
        side.watched = nil
    }

    private func close() {
        guard !own.value.isClosed else { return }
        own.value.isClosed = true
        upgrades.loop.setTimer(for: self, in: nil)
        dismiss(own.value.upstream)
        own.value.upstream.end.close()
        // The kernel continues to send the bytes that it has accepted, so there is no need to wait.
        upgrades.remove(self, within: 0)
        own.value.onClose.take()?()
    }
}

extension Exchange {
    /// Answers 101; after it the connection is a tunnel to an upstream.
    ///
    /// The exchange ends when its handler returns; the tunnel does not retain it.
    ///
    /// - Parameters:
    ///   - fields: the header fields of the upstream's 101, with `Upgrade`. Their `Connection` is replaced by
    ///     `Upgrade`.
    ///   - upstream: for the exchange's loop only, and owned by the tunnel; closed immediately if the client has
    ///     disconnected or there is a response already.
    ///   - first: bytes that the upstream sent after its head.
    ///   - silentSeconds: after the end of one direction, the time without data that closes both sides.
    package func tunnel(
        _ fields: HTTPFields, to upstream: any TunnelEnd, first: [UInt8] = [], silentSeconds: Int = 60
    ) {
        let tunnel = Tunnel(to: upstream, first: first, silentSeconds: silentSeconds, in: worker.upgrades)
        let answer = Answer(.switchingProtocols, fields, adding: [], .upgrade)
        loop.perform { [self] in
            if let cutOff = own.value.cutOff {
                cutOff.upgraded = tunnel
                tunnel.onClose { cutOff.over() }
            }
            upgrade(to: tunnel, answer)
        }
    }
}
