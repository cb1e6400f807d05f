import Glibc
import Synchronization
import TLS

// Called by libmicrohttpd, through the worker, on the loop's thread.
extension Exchange {
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !hasLeft else { return false }
        own.value.caller.received(bytes.count)
        switch own.value.incoming.append(bytes, in: bodyShare) {
        case .taken:
            return true
        case .full:
            suspend()
            return true
        case .tooMuch(let limit):
            let refusal = Refusal(
                .contentTooLarge, "the body is larger than the limit of \(limit) bytes")
            discardBody(answering: worker.server.refuse(refusal))
            return true
        case .noRoom:
            discardBody(answering: worker.noRoom("an incoming body"))
            return true
        case .cut:
            return false
        }
    }

    /// Called when the request is complete, and again in a later run or after a resume until there is a response.
    ///
    /// Returns false to close the connection.
    func complete() -> Bool {
        guard !hasLeft else { return false }
        own.value.incoming.end()
        if let refusal = own.value.incoming.refusal { return queue(refusal) }
        own.value.caller.enter(.busy)
        var body: [UInt8] = []
        let isFirstCall = if case .notBegun = own.value.handler { true } else { false }
        if !isStreamed, isFirstCall {
            // Too late to start a handler: the request body became complete while the server stops.
            if worker.own.value.phase == .stopping { return queue(worker.server.stopping) }
            body = own.value.incoming.takeCollected()
        }
        if !isAnswered { own.value.answering = .wanted }
        start(with: consume body)
        if !isAnswered { drainTasks { isAnswered } }
        if !isAnswered { own.value.answering = .awaited }
        guard !hasLeft else { return false }
        switch own.value.answering {
        case .queued, .carried: return true
        case .ready(let answer): return queue(answer)
        case .awaited, .wanted:
            // Under load the response is often there in the loop's next round. The library asks for it then, and is
            // spared a pause: two changes of its epoll, and a read that finds nothing.
            if isFirstCall, worker.isBusy { loop.setRunDue() } else { suspend() }
            return true
        }
    }

    /// Starts the handler, once: after the head if the body is streamed, else when the body is complete.
    func start(with body: consuming [UInt8] = []) {
        guard case .notBegun = own.value.handler, !isAnswered else { return }
        own.value.handler = .underWay(nil, cancel: nil)
        own.value.caller.own.value.exchange = self
        worker.own.value.underWay += 1
        if let handle {
            handle(self, body)
        } else {
            worker.server.handler(of: head).handle(self, body)
        }
    }

    /// The library wants bytes of a streamed response; copies some, or suspends the connection and returns 0.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !hasLeft else { return -2 }
        let count =
            switch own.value.rest {
            case .fetched(let source): source.read(into: buffer)
            case .written(let outgoing): outgoing.take(into: buffer)
            case .nothing, .upgrade: -2
            }
        if count == 0 { suspend() }
        // An HTTP/1.0 body ends with the connection, so only a reset tells the client that it is incomplete (RFC 9112,
        // section 8).
        if count == -2, head.isOldVersion, case .queued(let answer?) = own.value.answering,
            case .stream(length: nil) = answer.body
        {
            own.value.caller.reset()
        }
        if count < 0 { forgetSource() }
        return count
    }

    private func forgetSource() {
        guard case .fetched(let source) = own.value.rest else { return }
        own.value.rest = .nothing
        source.isDone()
    }

    /// Called when the library is done with this request, whether or not the whole response was sent.
    func completed(inFull: Bool) {
        // After an upgrade, `handOver` has already ended the exchange.
        guard !own.value.library.isDone else { return }
        // Read it before `leave()`: a handler that returns because of that cancellation is counted in `handled()`.
        let handlerHadReturned = own.value.handler.hasReturned
        own.value.library = .done(hasLeft: hasLeft)
        if case .carried(let response) = own.value.answering {
            own.value.answering = .queued(nil)
            worker.own.value.responses.giveBack(response)
        }
        // Not released without a response, because then the handler may still use the request body.
        if isAnswered { bodyShare.giveBack() }
        own.value.caller.own.value.exchange = nil
        own.value.caller.own.value.isNew = false
        own.value.caller.enter(.idle(received: nil))
        if !inFull || !isAnswered || own.value.rest.outgoing?.isOver == false { leave() }
        // The library closes the connection, but maybe only in its next run, which no event would cause.
        if !inFull {
            own.value.caller.visitOften()
            loop.setRunDue()
        }
        // With a known length the library does not read up to the end, so the source is released here.
        forgetSource()
        if let upgrading = takeUpgrade() { upgrading.abort("the handshake was not answered") }
        own.value.cutOff.take()?.over()
        endIfStarted(handlerHadReturned: handlerHadReturned)
    }

    /// Returns the WebSocket or tunnel that the connection is to become, once; nil after that.
    func takeUpgrade() -> (any Upgraded)? {
        guard case .upgrade(let upgrading) = own.value.rest else { return nil }
        own.value.rest = .nothing
        return upgrading
    }

    /// Counts the exchange as ended, if its handler was started and has returned; else `handled()` does so.
    private func endIfStarted(handlerHadReturned: Bool) {
        if handlerHadReturned {
            worker.ended(self)
        } else if case .underWay = own.value.handler {
            // The connection is closed, but the handler still runs.
            worker.own.value.callerless[ObjectIdentifier(self)] = self
        }
    }

    /// Called when the client has disconnected or must be; cancels the handler; the library closes the connection.
    func leave() {
        guard !hasLeft else { return }
        let library = own.value.library
        own.value.library = library.connection.map { .leaving($0) } ?? .done(hasLeft: true)
        // A copy retains task and closure: the handler may return while it is cancelled, which releases them.
        let handler = own.value.handler
        handler.cancel()
        own.value.incoming.fail()
        own.value.rest.outgoing?.forget()
        forgetSource()
        if case .suspended(let connection) = library { goOn(connection) }
    }

    /// Called when the grace period ends: a request without a response gets a 503, others are disconnected.
    func stop() {
        guard !isAnswered, !hasLeft, !own.value.library.isDone else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Cancelled, because its response would be ignored now.
        let handler = own.value.handler
        handler.cancel()
    }

    /// Called when the server stops: closes the connection in any state.
    func release() {
        if !hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if !own.value.library.isDone { own.value.caller.cut() }
    }

    /// Called when the handler has returned; if the response is incomplete, calls enqueued by other threads run first.
    func returned() {
        if isAnswered, own.value.rest.outgoing == nil {
            handled()
        } else {
            loop.performSoon { self.handled() }
        }
    }

    private func handled() {
        own.value.handler = .returned
        // No response is needed if the client has disconnected.
        if !isAnswered, !own.value.library.isDone, !hasLeft {
            set(worker.server.refuse(Refusal(.internalServerError, "the handler sent no response")))
        }
        if let outgoing = own.value.rest.outgoing {
            if let error = outgoing.end() { worker.server.logger.error("\(head.target): \(error)") }
            if outgoing.hasNews { resume() }
        }
        if own.value.library.isDone { worker.ended(self) }
    }
}

// Suspending: the library ignores a suspended connection, so the loop watches its socket for a disconnect.
extension Exchange {
    func suspend() {
        guard case .working(let connection) = own.value.library else { return }
        own.value.library = .suspended(connection)
        connection.suspend()
        // The client is not measured against its minimum rate while it waits for the server.
        switch own.value.caller.own.value.stage {
        case .body, .sending: own.value.caller.enter(.busy)
        case .handshake, .idle, .head, .busy: break
        }
        worker.watch(own.value.caller)
        // Later, because this is called inside the library.
        if own.value.caller.own.value.hasCallerLeft { loop.performSoon { self.leave() } }
    }

    func resume() {
        guard case .suspended(let connection) = own.value.library else { return }
        own.value.library = .working(connection)
        goOn(connection)
    }

    private func goOn(_ connection: LibraryConnection) {
        if own.value.incoming.isOpen {
            own.value.caller.enter(.body(count: 0))
        } else if case .queued(let answer?) = own.value.answering {
            own.value.caller.enter(stageOfAnswer(answer))
        }
        connection.resume()
        loop.setRunDue()
    }
}

// Handing the connection over to a WebSocket or a tunnel.
extension Exchange {
    /// Called by the library after it has sent the 101.
    ///
    /// - Parameters:
    ///   - socket: the connection; under TLS one end of a socket pair.
    ///   - extra: bytes that the client sent after the request.
    ///   - end: lets the library close the connection in one of its next runs.
    func handOver(_ socket: Int32, extra: [UInt8], closing end: @escaping () -> Void) {
        guard let upgrading = takeUpgrade() else { return end() }
        let caller = own.value.caller
        worker.unwatch(caller)
        own.value.library = .done(hasLeft: hasLeft)
        caller.own.value.exchange = nil
        caller.own.value.isNew = false
        caller.enter(.busy)
        endIfStarted(handlerHadReturned: own.value.handler.hasReturned)
        if let session = TLSSession(caller.handle) {
            let records = session.records(on: caller.socket)
            caller.own.value.records = records
            let stream = Transport(caller.socket, records, closing: end)
            return worker.upgrades.add(upgrading, stream, of: caller, extra: extra + records.pending())
        }
        // A duplicate: the library closes its own socket and frees the connection's memory.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let error = SystemError("cannot keep the connection")
        end()
        loop.setRunDue()
        guard own >= 0 else { return upgrading.abort("\(error)") }
        worker.upgrades.add(upgrading, Transport(own), extra: extra)
    }
}
