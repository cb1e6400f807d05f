/// The server's side of a WebSocket (RFC 6455).
///
/// ```swift
/// let socket = exchange.upgrade(handshake, events: WebSocketEvents(text: { $0.send(text: $1) }))
/// socket.send(text: Array("welcome".utf8))
/// ```
///
/// Sending and closing are possible on any thread and keep their order. The queue of frames is behind a lock; all other
/// state belongs to the loop.
package final class WebSocket: Sendable {
    enum Stage {
        case opening
        case open
        /// The server's close frame is sent or queued; the peer's has not arrived.
        case closing
        /// No frame may be added; those in the queue are still sent.
        case finishing
        /// The sending direction has ended; input is dropped until the peer ends its direction.
        case draining
        case closed
    }

    let limits: WebSocketLimits
    let upgrades: Upgrades
    let outgoing = Guarded(WebSocketOutgoing())

    let own: LoopBound<State>
    /// Outside of `State`, because callbacks change `State` while the parser runs.
    let parser: LoopBound<WebSocketParser>

    // Counts in the memory for bodies: `sending` for the queue, changed under the queue's lock; `receiving` for the
    // incomplete message, changed on the loop.
    let sending: WaitingBytes
    let receiving: WaitingBytes
    /// The error that closes the socket if a message does not fit the memory for bodies.
    let noRoom: NoRoom

    struct State {
        var stage = Stage.opening
        var transport: (any TunnelEnd)?
        /// The callbacks; nil after `closed` was called.
        var events: WebSocketEvents?
        var isBlocked = false
        var isPinged = false

        // Ticks of the last input, of the last progress in sending, and of the latest end of a closing socket.
        var heard = 0
        var moved = 0
        var deadline = Int.max
        /// The bytes that the peer had acknowledged when the deadline was set.
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

// Callable on any thread.
extension WebSocket {
    /// Sends a text message, which must be valid UTF-8.
    ///
    /// Returns false if it will not be sent: the socket is closing, or is closed now with 1013 because too much waits.
    @discardableResult package func send(text: [UInt8]) -> Bool {
        let (outcome, isFlushNeeded) = outgoing.withLock { outgoing in
            let outcome = outgoing.add(text, limit: limits.waiting)
            if case .full = outcome { _ = outgoing.shut(.tryAgainLater, "too much waits to be sent") }
            // Counted even above the limit: a page's messages are already counted until it acknowledges them.
            sending.changeAnyway(to: outgoing.count)
            return (outcome, outcome != .shut && outgoing.askForFlush())
        }
        if isFlushNeeded { flushSoon() }
        return outcome == .taken
    }

    /// Closes after the messages that were sent before; incoming messages are dropped.
    ///
    /// - Parameters:
    ///   - code: a code that may be sent; any other is replaced by 1011.
    ///   - reason: truncated to 123 bytes.
    package func close(_ code: WebSocketCloseCode = .normal, _ reason: String = "") {
        let isFlushNeeded = outgoing.withLock { outgoing in
            outgoing.shut(code.isSendable ? code : .internalError, reason) && outgoing.askForFlush()
        }
        // So that messages that are already read on this thread are not delivered.
        if upgrades.loop.isCurrent { beginClosing() }
        if isFlushNeeded { flushSoon() }
    }

    /// Flushes in the loop's next round, together with frames that are queued until then.
    func flushSoon() { upgrades.loop.performSoon { self.flush() } }
}
