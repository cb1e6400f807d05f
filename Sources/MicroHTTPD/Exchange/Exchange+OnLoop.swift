// For the engine, and for code that answers on the loop's thread. All of it is called on that thread.
extension Exchange {
    package var hasLeft: Bool { own.value.library.hasLeft }

    /// Runs waiting tasks until `isDone`, at most 32 steps; only while the exchange starts.
    package func drainTasks(until isDone: () -> Bool) { loop.drainTasks(atMost: 32, until: isDone) }

    /// Sends a response head; the body is read from a source, and ends with it.
    package func begin(_ head: HTTPResponse, length: Int?, from source: any BodySource) {
        let isWanted = !isAnswered && !hasLeft && self.head.method != .head
        if isWanted { own.value.rest = .fetched(source) }
        set(Answer(head, .stream(length: length)))
        if !isWanted { source.isDone() }
    }

    /// Called by the source when it has bytes again after a read returned 0.
    package func bodyIsReady() {
        if case .fetched = own.value.rest { resume() }
    }

    /// Answers 101; after that the connection becomes a WebSocket or a tunnel.
    func upgrade(to upgraded: any Upgraded, _ answer: Answer) {
        guard !isAnswered, !hasLeft, !own.value.library.isDone else {
            return upgraded.abort("the client has disconnected, or was answered before")
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
        // The handler answers before it has read the whole request body: drop what is still to come.
        if own.value.incoming.isOpen { discardBody(answering: answer) }
        resume()
    }

    /// Drops the part of the request body that is still to come, then sends the response.
    func discardBody(answering answer: Answer) {
        own.value.incoming.discard(answering: answer, atMost: worker.server.limits.discarded)
        giveBack(before: answer)
    }

    /// Passes a response to the library inside its callback, while it waits for one.
    func queue(_ status: Int, _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8]) {
        guard case .working(let connection) = own.value.library, !isAnswered else { return }
        own.value.answering = .queued(nil)
        own.value.caller.enter(.sending(acknowledged: nil))
        if !reuse(fixed, added, body, status, on: connection) { leave() }
    }

    /// Passes a reusable response to the library; returns false if the library refuses it.
    func reuse(
        _ fixed: [UInt8], _ added: UnsafeRawBufferPointer, _ body: [UInt8], _ status: Int,
        on connection: LibraryConnection
    ) -> Bool {
        guard let response = worker.own.value.responses.take(fixed, length: body.count) else { return false }
        response.hold(body, adding: added)
        if worker.closesConnections { response.handle.closeAfterwards() }
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
        // The library copies a body in memory, so the response is not retained.
        own.value.answering = if case .bytes = answer.body { .queued(nil) } else { .queued(answer) }
        own.value.caller.enter(stageOfAnswer(answer))
        return answer.queue(on: connection, for: self)
    }

    /// The connection's stage while a response is sent.
    ///
    /// A client that reads too slowly is disconnected, but not during a stream of unknown length, whose pauses may be
    /// the handler's.
    func stageOfAnswer(_ answer: Answer) -> Connection.Stage {
        if case .stream(length: nil) = answer.body { .busy } else { .sending(acknowledged: nil) }
    }

    /// Reserves memory for a large response, instead of the request body's; returns a 503 if there is not enough.
    ///
    /// Only responses to GET and HEAD are replaced: any other request would take effect twice when the client repeats
    /// it (RFC 9110, section 9.2.1). A response always fits if no other body uses memory.
    private func makeRoom(for answer: Answer) -> Answer {
        giveBack(before: answer)
        guard case .bytes(let bytes) = answer.body, bytes.count > Self.uncounted else { return answer }
        let isRepeatable = head.method == .get || head.method == .head
        let isOnlyOne = worker.server.bodyMemory.count == 0
        return bodyShare.replace(by: bytes.count, always: !isRepeatable || isOnlyOne)
            ? answer : worker.noRoom("an answer of \(bytes.count) bytes to \(head.target)")
    }

    /// Releases the memory of the request body before a complete response.
    ///
    /// Not before a streamed one: there it is used for the bytes of an upstream's response until they are read.
    private func giveBack(before answer: Answer) {
        if case .stream = answer.body { return }
        bodyShare.giveBack()
    }

    /// Up to this size in bytes a response is not counted, because the kernel takes it at once.
    private static let uncounted = 64 << 10
}

extension HTTPFields {
    /// The size of the fields in an HTTP/1.1 head, in bytes.
    package var bytes: Int {
        reduce(0) { count, field in
            count + field.name.rawName.utf8.count + field.withUnsafeBytesOfValue(\.count) + 4
        }
    }
}

extension Exchange: Loop.Caller {
    package var belongings: (any AnyObject)? {
        get { own.value.caller.belongings }
        set { own.value.caller.belongings = newValue }
    }
}

/// A connection that can be closed from outside, and a callback for its end; for the exchange's loop only.
final class CutOff {
    let over: @Sendable () -> Void
    weak var upgraded: (any Upgraded)?

    init(_ over: @escaping @Sendable () -> Void) { self.over = over }
}

extension Exchange {
    /// Allows other code to close the connection, while a response is awaited, streamed, or tunneled.
    ///
    /// - Parameter hold: gets a closure that closes the connection, on any thread. Returns a callback for the
    ///   connection's end, or nil to drop the closure.
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
