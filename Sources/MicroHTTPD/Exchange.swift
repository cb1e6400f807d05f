import CMicroHTTPD
package import EventLoop
import Glibc
public import HTTPTypes
import Logging
import Synchronization

/// One request and its answer, on their way through the engine.
///
/// The handler closure of the server gets it, reads the body and sends one answer. When the caller leaves, the task
/// that runs the closure is cancelled, and what is sent afterwards is dropped.
///
/// Its state is touched on its loop's thread only, whichever thread its methods are called on, and its constants and
/// `body` are written before the handler starts: that makes it Sendable. Nothing of it is reached from within its own
/// change, and checking that at run time took a twentieth of a request's time: hence the unchecked properties, here and
/// in `Connection`. Other modules would check all the same, and reach them through computed ones.
public final class Exchange: @unchecked Sendable {
    package let head: AuditedHead
    /// The caller's address, without a port.
    public var remoteAddress: String? { caller.address }
    /// True when the body is read with ``nextChunk()`` while it comes.
    public let isStreamed: Bool
    /// The collected body; empty where it is streamed, or taken by ``takeBody()``.
    public var body: [UInt8] { collected }

    /// The loop that serves it.
    package var loop: Loop { worker.loop }
    /// Which of the server's loops that is, from 0 on.
    package var loopIndex: Int { worker.index }

    let worker: Worker
    @exclusivity(unchecked) private var collected: [UInt8] = []
    @exclusivity(unchecked) var incoming: Incoming
    @exclusivity(unchecked) var outgoing: Outgoing?
    /// Where the answer's body is fetched from, until all has been.
    @exclusivity(unchecked) private var source: (any BodySource)?

    /// The library's object; nil once it is done with this request.
    @exclusivity(unchecked) private var connection: OpaquePointer?
    private let caller: Connection
    @exclusivity(unchecked) private var answer: Answer?
    /// What carries the answer, until it is sent.
    @exclusivity(unchecked) private var response: ReusableResponse?
    @exclusivity(unchecked) private var isStarted = false
    @exclusivity(unchecked) private var isQueued = false
    /// True while the library waits for the answer, which is the time to give it one.
    @exclusivity(unchecked) private var isCompleting = false
    @exclusivity(unchecked) private(set) var isSuspended = false
    /// True when the handler has returned.
    @exclusivity(unchecked) private(set) var isHandled = false
    /// True when the caller has gone; to be read on the loop.
    @exclusivity(unchecked) package private(set) var hasLeft = false
    /// True when the server has stopped before there was a whole answer.
    package var isStopped: Bool { wasStopped.load(ordering: .relaxed) }
    private let wasStopped = Atomic<Bool>(false)
    /// What an answer that waits for its reader takes of the memory for bodies.
    @exclusivity(unchecked) private var untaken: BodyShare?
    /// What it becomes, until it has.
    @exclusivity(unchecked) var upgrading: (any Upgraded)?
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    /// Ends what answers without a task.
    @exclusivity(unchecked) private var cancel: (@Sendable () -> Void)?

    init(
        _ head: AuditedHead, _ mode: Incoming.Mode, _ connection: OpaquePointer, _ caller: Connection,
        _ worker: Worker
    ) {
        self.head = head
        isStreamed = mode == .streamed
        let announced = if case .length(let length) = head.framing { length } else { 0 }
        incoming = Incoming(mode, announced: announced)
        self.connection = connection
        self.caller = caller
        self.worker = worker
    }
}

// Called by the library, through the worker, on the loop's thread.
extension Exchange {
    /// A part of the body; returns false to close the connection.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !hasLeft else { return false }
        caller.received(bytes.count)
        switch incoming.append(bytes, in: worker.server.bodyMemory) {
        case .taken:
            return true
        case .full:
            suspend()
            return true
        case .tooMuch(let limit):
            let (head, body) = worker.server.refuse(
                Refusal(.contentTooLarge, "the body has more than the \(limit) bytes that are taken here"))
            incoming.discard(
                answering: Answer(head, .bytes(body), closing: true), atMost: worker.server.limits.discarded)
            return true
        case .noRoom:
            incoming.discard(
                answering: worker.noRoom("a body that is coming"), atMost: worker.server.limits.discarded)
            return true
        case .cut:
            return false
        }
    }

    /// The request is complete; called again after each resume until there is an answer.
    ///
    /// Returns false to close the connection.
    func complete() -> Bool {
        guard !hasLeft else { return false }
        incoming.end()
        if let refusal = incoming.refusal { return queue(refusal) }
        caller.enter(.busy)
        if !isStreamed, !isStarted {
            // A body that came while the server stops: it is too late to start.
            if worker.isDraining { return queue(worker.server.stopping) }
            collected = incoming.takeCollected()
        }
        isCompleting = true
        start()
        if !isAnswered { drainTasks { isAnswered } }
        isCompleting = false
        guard !hasLeft else { return false }
        if isQueued { return true }
        if let answer { return queue(answer) }
        suspend()
        return true
    }

    /// Starts the handler, once: a streamed body's with its head, a collected one's when it is complete.
    func start() {
        guard !isStarted, !isAnswered else { return }
        isStarted = true
        caller.exchange = self
        worker.began()
        worker.server.handle(self)
    }

    /// The library needs bytes of a streamed answer: copies some, or suspends and returns 0.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !hasLeft else { return -2 }
        let count = source?.read(into: buffer) ?? outgoing?.take(into: buffer) ?? -2
        if count == 0 { suspend() }
        // To HTTP/1.0 an end of the connection is that of the body, and only a reset is none (RFC 9112, section 8).
        if count == -2, head.isOldVersion, case .stream(length: nil)? = answer?.body { caller.reset() }
        if count < 0 { forgetSource() }
        return count
    }

    private func forgetSource() {
        guard let source else { return }
        self.source = nil
        source.isDone()
    }

    /// The library is done with this request, one way or the other.
    func completed(inFull: Bool) {
        // What was handed over has been completed before.
        guard connection != nil else { return }
        isSuspended = false
        connection = nil
        if let response = response.take() { worker.responses.giveBack(response) }
        untaken = nil
        caller.exchange = nil
        caller.isNew = false
        caller.enter(.idle(received: nil))
        if !inFull || !isAnswered || outgoing?.isOver == false { leave() }
        // One whose length is known has no end that is fetched.
        forgetSource()
        upgrading?.abort("the handshake was not answered")
        upgrading = nil
        endIfStarted()
    }

    /// The library has done its part, and the connection goes on otherwise.
    func handedOver() -> Connection {
        worker.unwatch(caller)
        connection = nil
        caller.exchange = nil
        caller.isNew = false
        caller.enter(.busy)
        endIfStarted()
        return caller
    }

    private func endIfStarted() {
        guard isStarted else { return }
        if isHandled { worker.ended(self) } else { worker.lostCaller(of: self) }
    }

    /// The caller has gone, or must go: cancels the handler and lets the library close.
    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        task?.cancel()
        cancel?()
        incoming.fail()
        outgoing?.fail()
        forgetSource()
        if isSuspended { resume() }
    }

    /// The server stops, and waits no more: who has no answer gets a 503, and all others are cut off.
    func stop() {
        guard !isAnswered, !hasLeft, connection != nil else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Its answer would come too late.
        task?.cancel()
        cancel?()
    }

    /// The server stops: lets go of the connection, whatever state this is in.
    func release() {
        if !hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if isSuspended { resume() }
        if connection != nil { caller.cut() }
    }

    /// The handler has returned: unless its answer is whole, what other threads sent before goes first.
    private func returned() {
        if isAnswered, outgoing == nil { handled() } else { loop.performInTurn { self.handled() } }
    }

    private func handled() {
        task = nil
        cancel = nil
        isHandled = true
        // Whoever left waits for none.
        if !isAnswered, connection != nil, !hasLeft {
            let (head, body) = worker.server.refuse(Refusal(.internalServerError, "the server has no answer"))
            set(Answer(head, .bytes(body), closing: true))
        }
        if let error = outgoing?.end() { worker.server.logger.error("\(head.target): \(error)") }
        if isSuspended, outgoing?.hasNews == true { resume() }
        if connection == nil { worker.ended(self) }
    }
}

// Suspending: a connection of the library's that waits for us is blind, so its socket is watched by the loop.
extension Exchange {
    private func suspend() {
        guard let connection, !isSuspended else { return }
        isSuspended = true
        MHD_suspend_connection(connection)
        if case .body = caller.stage { caller.enter(.busy) }
        worker.watch(caller)
        // Not from within the library.
        if caller.hasCallerLeft { loop.performSoon { self.leave() } }
    }

    private func resume() {
        guard let connection, isSuspended else { return }
        isSuspended = false
        if incoming.isOpen { caller.enter(.body(count: 0)) }
        MHD_resume_connection(connection)
        loop.setRunDue()
    }
}

// For the closure that answers, from any thread.
extension Exchange {
    /// The head; `Host` has become its authority, framing headers are gone.
    public var request: HTTPRequest { head.request }

    /// True when the target was a whole URL (a browser talks to its proxy so).
    public var isAbsoluteForm: Bool { head.isAbsoluteForm }

    /// Bytes of header fields that an answer may have; with more of them the library closes the connection.
    ///
    /// They stand in the connection's memory beside those of the request.
    package var headRoom: Int {
        let own = head.headers.bytes + 64 * head.headers.count + head.target.utf8.count
        return max(0, worker.server.limits.pool - own - 1024)
    }

    /// The collected body, which the exchange does not keep then; to be called on the loop, as the first thing.
    package func takeBody() -> [UInt8] {
        defer { collected = [] }
        return collected
    }

    /// Answers with a task, which is cancelled when the caller leaves; its end is the answer's.
    ///
    /// It starts on the spot when this is called on the loop: a task that does not suspend has answered when this
    /// returns.
    package func run(_ operation: @escaping @Sendable () async -> Void) {
        loop.perform { [self] in
            guard !isHandled, task == nil else { return }
            let own = Task.immediateDetached(executorPreference: loop) { [self] in
                await operation()
                loop.perform { self.returned() }
            }
            if isHandled { return }
            task = own
            if hasLeft { own.cancel() }
        }
    }

    /// Answers without a task: `cancel` is called when the caller leaves before ``end()``.
    package func onLeave(_ cancel: @escaping @Sendable () -> Void) {
        loop.perform { [self] in
            guard !isHandled else { return }
            if hasLeft { cancel() } else { self.cancel = cancel }
        }
    }

    /// Runs tasks that wait on the loop until `isDone`, but no more than a little; only while the exchange starts.
    package func drainTasks(until isDone: () -> Bool) { loop.drainTasks(atMost: 32, until: isDone) }

    /// Nothing more comes from what answers without a task.
    package func end() { loop.perform { self.returned() } }

    /// The next part of a streamed body, nil after the last.
    ///
    /// - Throws: `CancellationError` when the caller left before the end, a ``BodyDropped`` when the answer has begun.
    public func nextChunk() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[UInt8]?, any Error>) in
            loop.perform { [self] in
                incoming.next(continuation)
                if isSuspended, incoming.hasRoom, incoming.isOpen { resume() }
            }
        }
    }

    /// Sends an answer that is complete.
    public func send(_ head: HTTPResponse, _ body: [UInt8]) { onLoop { $0.set(Answer(head, .bytes(body))) } }

    /// Sends an answer that is complete.
    ///
    /// - Parameters:
    ///   - headers: header fields.
    ///   - fixed: more of them, which other answers have as well, as C strings: a name, its value, the next name.
    ///   - added: more of them, which are this answer's own, written as the fixed ones are.
    package func send(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, fixed: [UInt8],
        adding added: UnsafeRawBufferPointer, _ body: [UInt8]
    ) {
        if loop.isCurrent, isCompleting, headers.isEmpty, body.count <= ReusableResponse.longest {
            queue(status.code, fixed, added, body)
        } else {
            let answer = Answer(status, headers, fixed: fixed, adding: Array(added), .bytes(body))
            loop.perform { self.set(answer) }
        }
    }

    /// Sends an answer whose body is a part of a file, which its owner keeps open until then.
    public func send(
        _ head: HTTPResponse, file descriptor: Int32, owner: any AnyObject & Sendable, offset: Int,
        length: Int
    ) {
        onLoop { $0.set(Answer(head, .file(descriptor, owner: owner, offset: offset, length: length))) }
    }

    /// Sends the head of an answer whose body comes by ``write(_:)``, and ends when the closure returns.
    ///
    /// - Parameters:
    ///   - head: status and header fields; those that frame the body are the engine's own.
    ///   - length: the number of bytes of the body if it is known; else HTTP/1.1 gets chunks.
    public func begin(_ head: HTTPResponse, length: Int?) {
        onLoop { exchange in
            guard !exchange.isAnswered else { return }
            // To HEAD only the head is sent, and whoever writes hears that nobody reads.
            if exchange.head.method != .head { exchange.outgoing = Outgoing(length: length) }
            exchange.set(Answer(head, .stream(length: length)))
        }
    }

    /// Sends the head of an answer whose body is fetched from a source, and ends with it; to be called on the loop.
    package func begin(_ head: HTTPResponse, length: Int?, from source: any BodySource) {
        guard !isAnswered, !hasLeft, self.head.method != .head else {
            set(Answer(head, .stream(length: length)))
            return source.isDone()
        }
        self.source = source
        set(Answer(head, .stream(length: length)))
    }

    /// The source has something; to be called on the loop.
    package func bodyIsReady() {
        if isSuspended, source != nil { resume() }
    }

    /// Sends a part of the body, and waits while the reader is slower.
    ///
    /// - Throws: `CancellationError` when the reader has gone.
    public func write(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.perform { [self] in
                guard !hasLeft, outgoing != nil else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                outgoing?.append(bytes, continuation)
                if isSuspended, isQueued { resume() }
            }
        }
    }

    /// Breaks the transfer off, so that nobody takes the body for whole.
    public func fail() {
        onLoop { exchange in
            exchange.outgoing?.fail()
            if exchange.isSuspended { exchange.resume() }
        }
    }

    private func onLoop(_ call: @escaping @Sendable (Exchange) -> Void) {
        loop.perform { call(self) }
    }

    /// Answers 101 and becomes something else; on the loop.
    func upgrade(to upgraded: any Upgraded, _ answer: Answer) {
        guard !isAnswered, !hasLeft, connection != nil else {
            return upgraded.abort("the caller has left, or was answered before")
        }
        upgrading = upgraded
        set(answer)
    }

    private var isAnswered: Bool { isQueued || answer != nil }

    private func set(_ answer: Answer) {
        guard !isAnswered, !hasLeft else { return }
        self.answer = answer
        if isSuspended, !incoming.isOpen { resume() }
        // A handler that answers before it has read its whole body: what is left is dropped.
        if incoming.isOpen {
            incoming.discard(answering: answer, atMost: worker.server.limits.discarded)
            if isSuspended { resume() }
        }
    }

    /// Hands the library an answer while it waits for one.
    private func queue(_ status: Int, _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8]) {
        guard let connection, !isAnswered, !hasLeft else { return }
        isQueued = true
        caller.enter(.sending(acknowledged: nil))
        if !reuse(fixed, added, body, status, on: connection) { leave() }
    }

    /// Hands the library an answer in a response that may be one that was sent before.
    ///
    /// Returns false when it takes none.
    func reuse(
        _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8], _ status: Int,
        on connection: OpaquePointer
    ) -> Bool {
        guard let response = worker.responses.take(fixed, length: body.count) else { return false }
        response.hold(body, adding: added)
        // Given back when the library has done its part.
        self.response = response
        return MHD_queue_response(connection, UInt32(status), response.handle) == .YES
    }

    private func queue(_ answer: Answer) -> Bool {
        guard let connection, !isQueued else { return connection != nil }
        let answer = makeRoom(for: answer)
        isQueued = true
        self.answer = answer
        switch answer.body {
        case .stream: caller.enter(.busy)
        case .bytes, .file, .upgrade: caller.enter(.sending(acknowledged: nil))
        }
        defer {
            // The library has its own copy.
            if case .bytes = answer.body { self.answer = nil }
        }
        return answer.queue(on: connection, for: self)
    }

    /// Lets a large answer count, in the place of the request's body; gives what is answered instead where all bodies
    /// together have no room for it.
    ///
    /// Only an answer that may be asked for again is withheld (RFC 9110, section 9.2.1): what another request did would
    /// be done twice. One that is alone always fits.
    private func makeRoom(for answer: Answer) -> Answer {
        incoming.letGo()
        guard case .bytes(let bytes) = answer.body, bytes.count > Self.uncounted else { return answer }
        let memory = worker.server.bodyMemory
        let share = BodyShare(of: memory)
        if !share.replace(by: bytes.count) {
            let isRepeatable = head.method == .get || head.method == .head
            guard !isRepeatable || memory.count == 0 else {
                return worker.noRoom("an answer of \(bytes.count) bytes to \(head.target)")
            }
            share.replaceAnyway(by: bytes.count)
        }
        untaken = share
        return answer
    }

    /// Bytes of an answer that the system takes at once.
    private static let uncounted = 64 << 10
}

extension HTTPFields {
    /// Bytes that they take in a head.
    package var bytes: Int {
        reduce(0) { count, field in
            count + field.name.rawName.utf8.count + field.withUnsafeBytesOfValue(\.count) + 4
        }
    }
}
