import EventLoop
package import HTTPTypes

// For code that answers on the loop itself, and for the engine; all of it is called on the loop.
extension Exchange {
    package var hasLeft: Bool { own.value.library.hasLeft }

    /// Runs tasks that wait on the loop until `isDone`, at most 32 steps; only while the exchange starts.
    package func drainTasks(until isDone: () -> Bool) { loop.drainTasks(atMost: 32, until: isDone) }

    /// Sends the head of an answer whose body is fetched from a source, at whose end the answer ends.
    package func begin(_ head: HTTPResponse, length: Int?, from source: any BodySource) {
        let isWanted = !isAnswered && !hasLeft && self.head.method != .head
        if isWanted { own.value.rest = .fetched(source) }
        set(Answer(head, .stream(length: length)))
        if !isWanted { source.isDone() }
    }

    /// Called by the source when it has bytes.
    package func bodyIsReady() {
        if case .fetched = own.value.rest { resume() }
    }

    /// Answers 101, behind which the connection becomes a WebSocket or tunnel.
    func upgrade(to upgraded: any Upgraded, _ answer: Answer) {
        guard !isAnswered, !hasLeft, !own.value.library.isDone else {
            return upgraded.abort("the caller has left, or was answered before")
        }
        own.value.rest = .upgrade(upgraded)
        set(answer)
    }

    var isAnswered: Bool {
        switch own.value.answering {
        case .awaited, .wanted: false
        case .ready, .queued, .carried: true
        }
    }

    func set(_ answer: Answer) {
        guard !isAnswered, !hasLeft else { return }
        own.value.answering = .ready(answer)
        // A handler that answers before it has read its whole body: what is left is dropped.
        if own.value.incoming.isOpen { discardBody(answering: answer) }
        resume()
    }

    /// Drops what is still to come of the request's body; then the answer goes out.
    func discardBody(answering answer: Answer) {
        own.value.incoming.discard(answering: answer, atMost: worker.server.limits.discarded)
        giveBack(before: answer)
    }

    /// Hands the library an answer while it waits for one.
    func queue(_ status: Int, _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8]) {
        guard case .working(let connection) = own.value.library, !isAnswered else { return }
        own.value.answering = .queued(nil)
        own.value.caller.enter(.sending(acknowledged: nil))
        if !reuse(fixed, added, body, status, on: connection) { leave() }
    }

    /// Hands the library an answer in a reusable response.
    ///
    /// Returns false when it takes none.
    func reuse(
        _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8], _ status: Int,
        on connection: LibraryConnection
    ) -> Bool {
        guard let response = worker.own.value.responses.take(fixed, length: body.count) else { return false }
        response.hold(body, adding: added)
        own.value.answering = .carried(response)
        return connection.queue(response.handle, status: status)
    }

    func queue(_ answer: Answer) -> Bool {
        guard let connection = own.value.library.connection else { return false }
        switch own.value.answering {
        case .queued, .carried: return true
        case .awaited, .wanted, .ready: break
        }
        let answer = makeRoom(for: answer)
        // The library copies bytes, so they need not be kept.
        own.value.answering = if case .bytes = answer.body { .queued(nil) } else { .queued(answer) }
        own.value.caller.enter(stageOfAnswer(answer))
        return answer.queue(on: connection, for: self)
    }

    /// The stage of the connection while an answer is sent.
    ///
    /// Slow readers of a body are cut off, but not those of a stream of unknown length, whose silence may be the
    /// writer's.
    func stageOfAnswer(_ answer: Answer) -> Connection.Stage {
        if case .stream(length: nil) = answer.body { .busy } else { .sending(acknowledged: nil) }
    }

    /// Counts a large answer in the memory for bodies, in place of the request's body; returns a 503 instead where
    /// there is no room for it.
    ///
    /// Only the answer to a safe method is withheld (RFC 9110, section 9.2.1): any other request would have its effect
    /// twice when it is repeated. An answer that is the only one always fits.
    private func makeRoom(for answer: Answer) -> Answer {
        giveBack(before: answer)
        guard case .bytes(let bytes) = answer.body, bytes.count > Self.uncounted else { return answer }
        let isRepeatable = head.method == .get || head.method == .head
        let isOnlyOne = worker.server.bodyMemory.count == 0
        return bodyShare.replace(by: bytes.count, always: !isRepeatable || isOnlyOne)
            ? answer : worker.noRoom("an answer of \(bytes.count) bytes to \(head.target)")
    }

    /// Gives the memory of the request's body back before a complete answer.
    ///
    /// Not before a streamed one: what an upstream sent before its answer could begin counts there until it is read.
    private func giveBack(before answer: Answer) {
        if case .stream = answer.body { return }
        bodyShare.giveBack()
    }

    /// The size up to which an answer does not count, since the system takes it at once.
    private static let uncounted = 64 << 10
}

extension HTTPFields {
    /// How many bytes they take in a head.
    package var bytes: Int {
        reduce(0) { count, field in
            count + field.name.rawName.utf8.count + field.withUnsafeBytesOfValue(\.count) + 4
        }
    }
}

/// A connection that others may cut off, and who is told when it has ended; used on the exchange's loop.
final class CutOff {
    let over: @Sendable () -> Void
    weak var upgraded: (any Upgraded)?

    init(_ over: @escaping @Sendable () -> Void) { self.over = over }
}

extension Exchange {
    /// Lets others cut the connection off, whatever it is used for: an awaited answer, a stream, a tunnel.
    ///
    /// - Parameter hold: gets a closure that cuts it off from any thread, and returns one to call when it has ended;
    ///   returns nil where it need not be cut off any more.
    package func canBeCut(_ hold: (_ cut: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?) {
        guard let over = hold({ [self] in loop.perform { self.cutOff() } }) else { return }
        loop.perform { [self] in
            if own.value.library.isDone { over() } else { own.value.cutOff = CutOff(over) }
        }
    }

    private func cutOff() {
        guard !own.value.library.isDone else {
            own.value.cutOff?.upgraded?.abort("it was cut off")
            return
        }
        leave()
        own.value.caller.cut()
    }
}
