package import EventLoop
import Synchronization

/// One request and its answer, on their way through the engine.
///
/// The handler closure of the server gets it, reads the body and sends one answer. When the caller leaves, the task
/// that runs the closure is cancelled, and what is sent afterwards is dropped.
///
/// What changes is in `State`, which is used on its loop alone, whichever thread its methods are called on. The rest is
/// constant, but for two flags and the collected body, which any thread may use.
public final class Exchange: Sendable {
    package let head: AuditedHead
    /// The caller's address, without a port.
    public let remoteAddress: String?
    /// The server's address to which a caller from another machine has connected, without a port.
    package let localAddress: String?
    /// What answers it in place of its head's handler, where that chose so; else nil.
    let handle: HTTPServer.Handle?
    /// True when the body is read with ``nextChunk()`` while it comes.
    public let isStreamed: Bool
    /// The collected body; empty where it is streamed.
    public var body: [UInt8] { collected.withLock { $0 } }

    /// The worker's, kept here since each call would retain the worker as well.
    package let loop: Loop
    /// Which of the server's loops that is, from 0 on.
    package var loopIndex: Int { worker.index }

    let worker: Worker
    /// Its share of the server's memory for bodies: of the request's, and then of the answer's.
    let bodyShare: BodyShare
    /// True when the server has stopped before there was a whole answer.
    package var isStopped: Bool { wasStopped.load(ordering: .relaxed) }
    let wasStopped = Atomic<Bool>(false)
    /// True when ``reserve(_:)`` found no room: the caller got a 503, and gets no other answer.
    package var isRefused: Bool { wasRefused.load(ordering: .relaxed) }
    /// Set on any thread; reading it too early only makes a second line in the log.
    let wasRefused = Atomic<Bool>(false)
    private let collected = Mutex<[UInt8]>([])
    let own: LoopBound<State>

    struct State {
        let caller: Connection
        var library: Library
        var handler = Handler.notBegun
        var answering = Answering.awaited
        var incoming: Incoming
        /// What follows the head of an answer, until all of it has been sent.
        var rest = Rest.nothing
        var cutOff: CutOff?
    }

    /// Keeps the collected body for ``body``, once, before the handler starts.
    func keep(_ body: [UInt8]) {
        guard !body.isEmpty else { return }
        collected.withLock { collected in
            precondition(collected.isEmpty, "an exchange has one body")
            collected = body
        }
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
        // In a variable of its own the body's state would be copied.
        own = LoopBound(
            State(
                caller: caller, library: .working(connection),
                incoming: Incoming(mode, announced: head.framing.length ?? 0)), to: worker.loop)
        loop = worker.loop
        self.worker = worker
        bodyShare = BodyShare(of: worker.server.bodyMemory)
    }
}

// The states of an exchange: of the library, the handler, the answer and its body.
extension Exchange {
    enum Library {
        /// It reads or writes, or it is about to.
        case working(LibraryConnection)
        /// It ignores the connection until that is resumed.
        case suspended(LibraryConnection)
        /// The caller has left, or has to: the library's next call for this request closes the connection.
        case leaving(LibraryConnection)
        /// It is done with this request; `hasLeft` where the caller did not get the whole answer.
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

    /// The state of the handler, which is the server's closure.
    enum Handler {
        case notBegun
        /// What to cancel when the caller leaves: its task, and what answers without one.
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
        /// There is no answer, and the library waits for one at this moment, which is the time to give it one.
        case wanted
        /// The answer is there, and the library has not asked for it yet.
        case ready(Answer)
        /// The library has the answer, which is kept here too unless the library has copied all of it.
        case queued(Answer?)
        /// The library has the answer in a response that is given back when it is sent.
        case carried(ReusableResponse)
    }

    /// The body of an answer, or the upgrade that follows its head.
    enum Rest {
        /// No body, or one that the library has together with the head.
        case nothing
        /// A body that is written while it is sent.
        case written(Outgoing)
        case fetched(any BodySource)
        /// The WebSocket or tunnel that the connection becomes behind a 101.
        case upgrade(any Upgraded)

        var outgoing: Outgoing? { if case .written(let outgoing) = self { outgoing } else { nil } }
    }
}
