import EventLoop

/// A connection on which both sides send messages (RFC 6455), on the server's side.
///
/// ```swift
/// let socket = exchange.upgrade(handshake, events: WebSocketEvents(text: { $0.send(text: $1) }))
/// socket.send(text: Array("welcome".utf8))
/// ```
///
/// What is sent and closed may come from any thread, and goes out in the order in which it came. What waits to be sent
/// is behind its lock, and all else that changes belongs to the loop.
package final class WebSocket: Sendable {
    /// How far it is; it only goes on.
    enum Stage {
        /// The handshake is not over.
        case opening
        case open
        /// Our close frame is said, the peer's is not.
        case closing
        /// There is nothing more to say: what waits goes out.
        case finishing
        /// Our direction has ended; what comes is dropped until the peer's has.
        case draining
        case closed
    }

    /// The subprotocol that was agreed on.
    package let subprotocol: String?
    /// The caller's address, without a port.
    package let remoteAddress: String?

    let limits: WebSocketLimits
    let upgrades: Upgrades
    let outgoing = Guarded(WebSocketOutgoing())

    private let box: LoopBound<State>
    /// Apart from the rest, which its messages change while it parses.
    let parser: LoopBound<WebSocketParser>

    // What they take of the memory for all bodies: what waits to be sent, under its lock, and the message that is not
    // whole yet, on the loop.
    let sending: WaitingBytes
    let receiving: WaitingBytes
    /// Says why a message is refused that they have no room for.
    let noRoom: NoRoom

    /// What belongs to the loop.
    struct State {
        var stage = Stage.opening
        var transport: Upgrades.Transport?
        /// Nil once the end was told.
        var events: WebSocketEvents?
        var isBlocked = false
        var isPinged = false

        // Ticks of the loop's: when it is looked at next, when something last came, and was taken, and when it must
        // end.
        var due = 0
        var heard = 0
        var moved = 0
        var deadline = Int.max
        /// Bytes that the peer's system had taken when the deadline was set.
        var taken: UInt64 = 0
    }

    /// To be asked for on the loop.
    var state: State {
        unsafeAddress { UnsafePointer(box.address) }
        unsafeMutableAddress { box.address }
    }

    init(
        _ subprotocol: String?, from remoteAddress: String?, in upgrades: Upgrades,
        _ memory: BodyMemory, _ limits: WebSocketLimits, _ events: WebSocketEvents
    ) {
        self.subprotocol = subprotocol
        self.remoteAddress = remoteAddress
        self.upgrades = upgrades
        self.limits = limits
        box = LoopBound(State(events: events), to: upgrades.loop)
        parser = LoopBound(WebSocketParser(limits), to: upgrades.loop)
        sending = WaitingBytes(of: memory)
        receiving = WaitingBytes(of: memory)
        noRoom = NoRoom(limit: memory.limit)
    }
}

// From any thread.
extension WebSocket {
    /// Bytes that wait to be sent.
    package var bufferedBytes: Int { outgoing.withLock { $0.count } }

    /// False once it closes, or has closed.
    package var isOpen: Bool { outgoing.withLock { !$0.isShut } }

    /// Sends a text, which must be UTF-8.
    ///
    /// Returns false when it will not go out: the socket closes, or so much waits that it is closed for that (1013).
    @discardableResult package func send(text: [UInt8]) -> Bool { send(.text, text) }

    /// Sends bytes; returns false as `send(text:)` does.
    @discardableResult package func send(binary: [UInt8]) -> Bool { send(.binary, binary) }

    /// Closes, behind what was sent before; messages that still come are dropped.
    ///
    /// - Parameters:
    ///   - code: one that may be sent; in place of another it is 1011.
    ///   - reason: 123 bytes of it at most.
    package func close(_ code: WebSocketCloseCode = .normal, _ reason: String = "") {
        let isFlushNeeded = outgoing.withLock { outgoing in
            outgoing.shut(code.isSendable ? code : .internalError, reason) && outgoing.askForFlush()
        }
        // What this thread has just read is not delivered any more.
        if upgrades.loop.isCurrent { beginClosing() }
        if isFlushNeeded { flushSoon() }
    }

    private func send(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) -> Bool {
        let (outcome, isFlushNeeded) = outgoing.withLock { outgoing in
            let outcome = outgoing.add(opcode, payload, limit: limits.waiting)
            if case .full = outcome { _ = outgoing.shut(.tryAgainLater, "too much waits to be sent") }
            // What a page is sent was counted before, where it waits until the page has it: this is a copy of a part.
            sending.changeAnyway(to: outgoing.count)
            return (outcome, outcome != .shut && outgoing.askForFlush())
        }
        if isFlushNeeded { flushSoon() }
        return outcome == .taken
    }

    /// Sends with what else comes until the loop is there.
    func flushSoon() { upgrades.loop.performSoon { self.flush() } }
}
