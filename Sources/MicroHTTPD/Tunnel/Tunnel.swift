import EventLoop
import Glibc
package import HTTPTypes

/// Moves bytes between a caller and an upstream, both ways and unchanged.
///
/// A side is read only while nothing waits for the other, so at most one buffer waits in each direction, and none in a
/// tunnel that is idle. When one side ends its direction, that is passed on, and the tunnel ends with the second; an
/// error of one side closes both. Its sides belong to the loop.
final class Tunnel: Upgraded, Loop.Guest {
    /// How many reads follow each other before other sockets get their turn.
    private static let readsAtOnce = 8

    private let upgrades: Upgrades
    private let silentSeconds: Int
    private let own: LoopBound<State>

    private struct State {
        let upstream: TunnelSide
        /// Nil until the connection is handed over.
        var caller: TunnelSide?
        /// What the upstream sent before that.
        var first: [UInt8]
        var isClosed = false
        /// The tick at which something was last ready.
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
        // Also a side that is not read for now, so that a reset is noticed.
        for side in [caller, upstream] { try watch(side, for: .readable) }
        act { move(from: caller, to: upstream) && move(from: upstream, to: caller) }
    }

    /// Cuts the tunnel: it has no frames of the engine's, by which a WebSocket would be closed.
    func serverStops() { close() }

    func abort(_ message: String) { close() }

    /// Closes the tunnel when its only open direction has been silent for too long.
    func check() {
        let silence = upgrades.own.value.tick - own.value.active
        guard silence < silentSeconds else { return close() }
        upgrades.look(at: self, in: silentSeconds - silence)
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
                // Else the loop would report it again and again, as it is neither read nor written.
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

    // MARK: Moving

    /// Runs an action, which returns false when a side is broken; then closes the tunnel, or updates what is watched.
    private func act(_ action: () -> Bool) {
        guard !own.value.isClosed, let caller = own.value.caller else { return }
        own.value.active = upgrades.own.value.tick
        guard action() else { return close() }
        if caller.isFinished, own.value.upstream.isFinished { return close() }
        if caller.hasEnded || own.value.upstream.hasEnded { upgrades.look(at: self, in: silentSeconds) }
        if caller.isDue || own.value.upstream.isDue { upgrades.loop.setTimer(for: self, in: 0) }
        do {
            try watch(caller, other: own.value.upstream)
            try watch(own.value.upstream, other: caller)
        } catch {
            close()
        }
    }

    /// Moves the bytes that one side has and the other takes; returns false when either is broken.
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

    /// True when the connection was reset, or broke otherwise.
    private func hasFailed(_ side: TunnelSide) -> Bool {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(side.end.descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0
    }

    // MARK: Watching

    /// Watches a side for bytes while the other takes them, and for room while bytes wait for it.
    private func watch(_ side: TunnelSide, other: TunnelSide) throws {
        var wanted: Readiness = []
        if !side.hasEnded, !other.isBlocked { wanted.insert(.readable) }
        // The end waits for room too: a TLS alert that finds none is lost.
        if side.isBlocked || other.hasEnded && !side.isFinished { wanted.insert(.writable) }
        // A side whose connection is lost stays dismissed until there is something to do.
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
        // The system goes on sending what it has taken, so there is nothing to wait for.
        upgrades.remove(self, within: 0)
        own.value.onClose.take()?()
    }
}

extension Exchange {
    /// Answers 101 and goes on as a tunnel to an upstream, instead of any other answer.
    ///
    /// The exchange is over when its handler has returned, as with any answer: the tunnel does not hold it.
    ///
    /// - Parameters:
    ///   - fields: those of the upstream's 101, `Upgrade` among them; of `Connection` the caller gets `Upgrade` alone.
    ///   - upstream: used on the exchange's loop only, and owned by the tunnel from now on; closed at once where the
    ///     caller has left or was answered before.
    ///   - first: what the upstream sent behind its head.
    ///   - silentSeconds: how long nothing may come when one direction has ended; then both sides are closed.
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
