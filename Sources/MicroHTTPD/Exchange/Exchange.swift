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
    /// What `choosing` made of the head (``HTTPServer/ChooseBodyByHead``); nil where it was not asked.
    package let kept: (any AnyObject & Sendable)?
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
        _ head: AuditedHead, _ mode: Incoming.Mode, _ kept: (any AnyObject & Sendable)?,
        _ connection: LibraryConnection, _ caller: Connection, _ worker: Worker
    ) {
        self.head = head
        self.kept = kept
        isStreamed = mode == .streamed
        remoteAddress = caller.address
        localAddress = caller.localAddress
        let announced = if case .length(let length) = head.framing { length } else { 0 }
        own = LoopBound(
            State(
                caller: caller, library: .working(connection), incoming: Incoming(mode, announced: announced)),
            to: worker.loop)
        loop = worker.loop
        self.worker = worker
        bodyShare = BodyShare(of: worker.server.bodyMemory)
    }
}
