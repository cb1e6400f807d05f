import EventLoop
package import HTTPTypes

// For code that answers on the loop itself, and for the engine; all of it is called on the loop.
extension Exchange {
    /// True when the caller has gone.
    package var hasLeft: Bool { state.library.hasLeft }

    var isSuspended: Bool { if case .suspended = state.library { true } else { false } }

    /// Runs tasks that wait on the loop until `isDone`, at most 32 steps; only while the exchange starts.
    package func drainTasks(until isDone: () -> Bool) { loop.drainTasks(atMost: 32, until: isDone) }

    /// Sends the head of an answer whose body is fetched from a source, at whose end the answer ends.
    package func begin(_ head: HTTPResponse, length: Int?, from source: any BodySource) {
        guard !isAnswered, !hasLeft, self.head.method != .head else {
            set(Answer(head, .stream(length: length)))
            return source.isDone()
        }
        state.rest = .fetched(source)
        set(Answer(head, .stream(length: length)))
    }

    /// Called by the source when it has bytes.
    package func bodyIsReady() {
        if case .fetched = state.rest { resume() }
    }

    /// Answers 101, behind which the connection becomes a WebSocket or tunnel.
    func upgrade(to upgraded: any Upgraded, _ answer: Answer) {
        guard !isAnswered, !hasLeft, !state.library.isDone else {
            return upgraded.abort("the caller has left, or was answered before")
        }
        state.rest = .upgrade(upgraded)
        set(answer)
    }

    var isAnswered: Bool {
        switch state.answering {
        case .awaited, .wanted: false
        case .ready, .queued, .carried: true
        }
    }

    func set(_ answer: Answer) {
        guard !isAnswered, !hasLeft else { return }
        state.answering = .ready(answer)
        // A handler that answers before it has read its whole body: what is left is dropped.
        if state.incoming.isOpen { discardBody(answering: answer) }
        resume()
    }

    /// Drops what is still to come of the request's body; then the answer goes out.
    func discardBody(answering answer: Answer) {
        state.incoming.discard(answering: answer, atMost: worker.server.limits.discarded)
        giveBack(before: answer)
    }

    /// Hands the library an answer while it waits for one.
    func queue(_ status: Int, _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8]) {
        guard case .working(let connection) = state.library, !isAnswered else { return }
        state.answering = .queued(nil)
        state.caller.enter(.sending(acknowledged: nil))
        if !reuse(fixed, added, body, status, on: connection) { leave() }
    }

    /// Hands the library an answer in a reusable response.
    ///
    /// Returns false when it takes none.
    func reuse(
        _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8], _ status: Int,
        on connection: LibraryConnection
    ) -> Bool {
        guard let response = worker.takeResponse(fixed, length: body.count) else { return false }
        response.hold(body, adding: added)
        state.answering = .carried(response)
        return connection.queue(response.handle, status: status)
    }

    func queue(_ answer: Answer) -> Bool {
        guard let connection = state.library.connection else { return false }
        switch state.answering {
        case .queued, .carried: return true
        case .awaited, .wanted, .ready: break
        }
        let answer = makeRoom(for: answer)
        // The library copies bytes, so they need not be kept.
        state.answering = if case .bytes = answer.body { .queued(nil) } else { .queued(answer) }
        state.caller.enter(stageOfAnswer(answer))
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
        if !bodyShare.replace(by: bytes.count) {
            let isRepeatable = head.method == .get || head.method == .head
            guard !isRepeatable || worker.server.bodyMemory.count == 0 else {
                return worker.noRoom("an answer of \(bytes.count) bytes to \(head.target)")
            }
            bodyShare.replaceAnyway(by: bytes.count)
        }
        return answer
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
