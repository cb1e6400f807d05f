import EventLoop

/// The server's side of a WebSocket (RFC 6455).
///
/// ```swift
/// let socket = exchange.upgrade(handshake, events: WebSocketEvents(text: { $0.send(text: $1) }))
/// socket.send(text: Array("welcome".utf8))
/// ```
///
/// Sending and closing are possible from any thread, and keep their order. What waits to be sent is behind a lock, and
/// all other state belongs to the loop.
package final class WebSocket: Sendable {
    enum Stage {
        case opening
        case open
        /// Our close frame is sent or queued, the peer's has not come.
        case closing
        /// Nothing more is added: only what waits is sent.
        case finishing
        /// Our direction has ended; what comes is dropped until the peer's has.
        case draining
        case closed
    }

    let limits: WebSocketLimits
    let upgrades: Upgrades
    let outgoing = Guarded(WebSocketOutgoing())

    let own: LoopBound<State>
    /// Apart from the state, which handling its messages changes while it parses.
    let parser: LoopBound<WebSocketParser>

    // What it takes of the memory for all bodies: for bytes that wait to be sent, changed under their lock, and for the
    // incomplete message, changed on the loop.
    let sending: WaitingBytes
    let receiving: WaitingBytes
    /// The error for a message for which there is no room.
    let noRoom: NoRoom

    struct State {
        var stage = Stage.opening
        var transport: (any TunnelEnd)?
        /// The callbacks; nil once `closed` was called.
        var events: WebSocketEvents?
        var isBlocked = false
        var isPinged = false

        // Ticks: when bytes last came, when bytes were last sent, and when it must end.
        var heard = 0
        var moved = 0
        var deadline = Int.max
        /// How many bytes the peer had acknowledged when the deadline was set.
        var taken: UInt64 = 0
    }

    init(
        in upgrades: Upgrades, _ memory: BodyMemory, _ limits: WebSocketLimits, _ events: WebSocketEvents
    ) {
        self.upgrades = upgrades
        self.limits = limits
        own = LoopBound(State(events: events), to: upgrades.loop)
        parser = LoopBound(WebSocketParser(limits), to: upgrades.loop)
        sending = WaitingBytes(of: memory)
        receiving = WaitingBytes(of: memory)
        noRoom = NoRoom(limit: memory.limit)
    }
}

// From any thread.
extension WebSocket {
    /// Sends a text, which must be UTF-8.
    ///
    /// Returns false when it will not be sent: the socket closes, or is closed now because too much waits (1013).
    @discardableResult package func send(text: [UInt8]) -> Bool { send(.text, text) }

    /// Sends bytes; returns false as `send(text:)` does.
    @discardableResult package func send(binary: [UInt8]) -> Bool { send(.binary, binary) }

    /// Closes after what was sent before; messages that still come are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that may be sent; for any other, 1011 is sent.
    ///   - reason: cut after 123 bytes.
    package func close(_ code: WebSocketCloseCode = .normal, _ reason: String = "") {
        let isFlushNeeded = outgoing.withLock { outgoing in
            outgoing.shut(code.isSendable ? code : .internalError, reason) && outgoing.askForFlush()
        }
        // Messages that this thread has just read are not delivered any more.
        if upgrades.loop.isCurrent { beginClosing() }
        if isFlushNeeded { flushSoon() }
    }

    private func send(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) -> Bool {
        let (outcome, isFlushNeeded) = outgoing.withLock { outgoing in
            let outcome = outgoing.add(opcode, payload, limit: limits.waiting)
            if case .full = outcome { _ = outgoing.shut(.tryAgainLater, "too much waits to be sent") }
            // Taken even without room: messages for a page are counted already where they wait for its acknowledgement.
            sending.changeAnyway(to: outgoing.count)
            return (outcome, outcome != .shut && outgoing.askForFlush())
        }
        if isFlushNeeded { flushSoon() }
        return outcome == .taken
    }

    /// Sends soon, together with what else is queued until then.
    func flushSoon() { upgrades.loop.performSoon { self.flush() } }
}
