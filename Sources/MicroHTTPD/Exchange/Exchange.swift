import Synchronization

/// One request and its response.
///
/// The head's handler gets it, reads the body and sends one response. When the client disconnects, what answers is
/// cancelled, and everything sent after that is dropped.
///
/// Sendable: mutable state is in `State`, which only the loop's thread uses, whichever thread calls a method. All else
/// is constant, except two atomic flags.
package final class Exchange: Sendable {
    package let head: AuditedHead
    /// The client's IP address without a port; nil for a Unix socket.
    package let remoteAddress: String?
    /// The server's IP address that the client connected to, without a port; nil for a client on this machine.
    package let localAddress: String?
    /// Chosen by the head's handler to answer this request instead of it; else nil.
    let handle: HTTPServer.Handle?
    /// True if the body is read with ``nextChunk()`` while it arrives; false if the handler has got all of it.
    package let isStreamed: Bool

    /// A copy of the worker's reference, because reading it through `worker` would retain the worker on each access.
    package let loop: Loop
    /// The index of the worker's loop among the server's, from 0.
    package var loopIndex: Int { worker.index }

    let worker: Worker
    /// The memory reserved for the request body, then for the response.
    let bodyShare: BodyShare
    package var isStopped: Bool { wasStopped.load(ordering: .relaxed) }
    let wasStopped = Atomic<Bool>(false)
    /// True if ``reserve(_:)`` failed: the client gets a 503 and no other response.
    package var isRefused: Bool { wasRefused.load(ordering: .relaxed) }
    /// Written on any thread; a stale read does no harm but a second log line.
    let wasRefused = Atomic<Bool>(false)
    let own: LoopBound<State>

    struct State {
        let caller: Connection
        var library: Library
        var handler = Handler.notBegun
        var answering = Answering.awaited
        var incoming: Incoming
        /// The part of the response after its head, until all of it is sent.
        var rest = Rest.nothing
        var cutOff: CutOff?
    }

    init(
        _ head: AuditedHead, _ mode: Incoming.Mode, _ handle: HTTPServer.Handle?,
        _ connection: LibraryConnection, _ caller: Connection, _ worker: Worker
    ) {
        self.head = head
        self.handle = handle
        isStreamed = mode == .streamed
        remoteAddress = caller.address
        localAddress = caller.localAddress
        // Made inside the expression, because a local variable of type `Incoming` would be copied.
        own = LoopBound(
            State(
                caller: caller, library: .working(connection),
                incoming: Incoming(mode, announced: head.framing.length ?? 0)), to: worker.loop)
        loop = worker.loop
        self.worker = worker
        bodyShare = BodyShare(of: worker.server.bodyMemory)
    }
}

// The states of an exchange: of the library, of the handler, of the response and of its body.
extension Exchange {
    enum Library {
        /// The library reads or writes, or is about to.
        case working(LibraryConnection)
        /// The library ignores the connection until it is resumed.
        case suspended(LibraryConnection)
        /// The client has disconnected or must be: the library's next callback for this request closes the connection.
        case leaving(LibraryConnection)
        /// The library has finished this request; `hasLeft` if the client did not get the complete response.
        case done(hasLeft: Bool)

        var connection: LibraryConnection? {
            switch self {
            case .working(let connection), .suspended(let connection), .leaving(let connection): connection
            case .done: nil
            }
        }

        var hasLeft: Bool {
            switch self {
            case .working, .suspended: false
            case .leaving: true
            case .done(let hasLeft): hasLeft
            }
        }

        var isDone: Bool { if case .done = self { true } else { false } }
    }

    enum Handler {
        case notBegun
        /// The task and the closure to cancel when the client disconnects; a handler has one of the two.
        case underWay(Task<Void, Never>?, cancel: (@Sendable () -> Void)?)
        case returned

        var hasReturned: Bool { if case .returned = self { true } else { false } }

        func cancel() {
            guard case .underWay(let task, let cancel) = self else { return }
            task?.cancel()
            cancel?()
        }
    }

    enum Answering {
        case awaited
        /// No response yet, and the library waits for one inside its callback: it can be passed on at once.
        case wanted
        case ready(Answer)
        /// The library has the response. It is retained here unless the library has copied all of it.
        case queued(Answer?)
        /// The library has the response, in a reusable object that is given back after sending.
        case carried(ReusableResponse)
    }

    /// The body of a response, or the upgrade that follows its head.
    enum Rest {
        /// No body, or one that was passed to the library with the head.
        case nothing
        /// A body that the handler writes while it is sent.
        case written(Outgoing)
        case fetched(any BodySource)
        /// The connection becomes this WebSocket or tunnel after the 101.
        case upgrade(any Upgraded)

        var outgoing: Outgoing? { if case .written(let outgoing) = self { outgoing } else { nil } }
    }
}
