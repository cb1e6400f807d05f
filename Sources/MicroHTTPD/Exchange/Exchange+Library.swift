import EventLoop
import HTTPTypes
import Logging
import Synchronization

// Called by the library, through the worker, on the loop's thread.
extension Exchange {
    /// Takes a part of the body; returns false to close the connection.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !hasLeft else { return false }
        state.caller.received(bytes.count)
        switch state.incoming.append(bytes, in: bodyShare) {
        case .taken:
            return true
        case .full:
            suspend()
            return true
        case .tooMuch(let limit):
            let (head, body) = worker.server.refuse(
                Refusal(.contentTooLarge, "the body has more than the \(limit) bytes that are taken here"))
            discardBody(answering: Answer(head, .bytes(body), closing: true))
            return true
        case .noRoom:
            discardBody(answering: worker.noRoom("a body that is coming"))
            return true
        case .cut:
            return false
        }
    }

    /// Called when the request is complete, and again after each resume until there is an answer.
    ///
    /// Returns false to close the connection.
    func complete() -> Bool {
        guard !hasLeft else { return false }
        state.incoming.end()
        if let refusal = state.incoming.refusal { return queue(refusal) }
        state.caller.enter(.busy)
        var body: [UInt8] = []
        if !isStreamed, case .notBegun = state.handler {
            // The body became complete while the server stops, which is too late to start a handler.
            if worker.isDraining { return queue(worker.server.stopping) }
            body = state.incoming.takeCollected()
        }
        if !isAnswered { state.answering = .wanted }
        start(with: consume body)
        if !isAnswered { drainTasks { isAnswered } }
        if !isAnswered { state.answering = .awaited }
        guard !hasLeft else { return false }
        switch state.answering {
        case .queued, .carried: return true
        case .ready(let answer): return queue(answer)
        case .awaited, .wanted:
            suspend()
            return true
        }
    }

    /// Starts the handler, once: with the head where the body is streamed, else when the body is complete.
    func start(with body: consuming [UInt8] = []) {
        guard case .notBegun = state.handler, !isAnswered else { return }
        state.handler = .underWay(nil, cancel: nil)
        state.caller.exchange = self
        worker.began()
        worker.server.handle(self, consume body)
    }

    /// The library needs bytes of a streamed answer: copies some, or suspends and returns 0.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !hasLeft else { return -2 }
        let count =
            switch state.rest {
            case .fetched(let source): source.read(into: buffer)
            case .written(let outgoing): outgoing.take(into: buffer)
            case .nothing, .upgrade: -2
            }
        if count == 0 { suspend() }
        // In HTTP/1.0 a closed connection ends the body: only a reset shows that it broke off (RFC 9112, section 8).
        if count == -2, head.isOldVersion, case .queued(let answer?) = state.answering,
            case .stream(length: nil) = answer.body
        {
            state.caller.reset()
        }
        if count < 0 { forgetSource() }
        return count
    }

    private func forgetSource() {
        guard case .fetched(let source) = state.rest else { return }
        state.rest = .nothing
        source.isDone()
    }

    /// Called when the library is done with this request, whether all of the answer was sent or not.
    func completed(inFull: Bool) {
        // An upgraded connection was completed when it was handed over.
        guard !state.library.isDone else { return }
        // A handler that returns during the cancellation below is counted where it returns.
        let handlerHadReturned = state.handler.hasReturned
        state.library = .done(hasLeft: hasLeft)
        if case .carried(let response) = state.answering {
            state.answering = .queued(nil)
            worker.giveBack(response)
        }
        // Without an answer, its handler may still have the request's body.
        if isAnswered { bodyShare.giveBack() }
        state.caller.exchange = nil
        state.caller.isNew = false
        state.caller.enter(.idle(received: nil))
        if !inFull || !isAnswered || state.rest.outgoing?.isOver == false { leave() }
        // The library closes the connection, but not always in this run, and nothing else would cause the next.
        if !inFull {
            state.caller.visitOften()
            loop.setRunDue()
        }
        // Where the length is known, the library has not fetched the end, by which the source is released.
        forgetSource()
        if let upgrading = takeUpgrade() { upgrading.abort("the handshake was not answered") }
        state.cutOff.take()?.over()
        endIfStarted(handlerHadReturned: handlerHadReturned)
    }

    /// Takes the WebSocket or tunnel that the connection becomes; nil when called again.
    func takeUpgrade() -> (any Upgraded)? {
        guard case .upgrade(let upgrading) = state.rest else { return nil }
        state.rest = .nothing
        return upgrading
    }

    /// Called when the library hands over an upgraded connection.
    func handedOver() -> Connection {
        worker.unwatch(state.caller)
        state.library = .done(hasLeft: hasLeft)
        state.caller.exchange = nil
        state.caller.isNew = false
        state.caller.enter(.busy)
        endIfStarted(handlerHadReturned: state.handler.hasReturned)
        return state.caller
    }

    /// Counts the exchange as over, once: here, or where its handler returns.
    private func endIfStarted(handlerHadReturned: Bool) {
        if handlerHadReturned {
            worker.ended(self)
        } else if case .underWay = state.handler {
            worker.lostCaller(of: self)
        }
    }

    /// Called when the caller has left, or has to: cancels the handler, and lets the library close the connection.
    func leave() {
        guard !hasLeft else { return }
        let library = state.library
        state.library = library.left
        // A handler may return while it is cancelled, which drops its task and closure: this copy holds both.
        let handler = state.handler
        handler.cancel()
        state.incoming.fail()
        state.rest.outgoing?.forget()
        forgetSource()
        if case .suspended(let connection) = library { goOn(connection) }
    }

    /// Called when the server stops waiting: a caller without an answer gets a 503, any other is cut off.
    func stop() {
        guard !isAnswered, !hasLeft, !state.library.isDone else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Its answer would come too late.
        let handler = state.handler
        handler.cancel()
    }

    /// Called when the server stops: closes the connection, whatever state this is in.
    func release() {
        if !hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if !state.library.isDone { state.caller.cut() }
    }

    /// Called when the handler has returned; unless its answer is complete, earlier calls of other threads go first.
    func returned() {
        if isAnswered, state.rest.outgoing == nil {
            handled()
        } else {
            loop.performSoon { self.handled() }
        }
    }

    private func handled() {
        state.handler = .returned
        // A caller that has left needs no answer.
        if !isAnswered, !state.library.isDone, !hasLeft {
            let (head, body) = worker.server.refuse(
                Refusal(.internalServerError, "the server has no answer"))
            set(Answer(head, .bytes(body), closing: true))
        }
        if let outgoing = state.rest.outgoing {
            if let error = outgoing.end() { worker.server.logger.error("\(head.target): \(error)") }
            if outgoing.hasNews { resume() }
        }
        if state.library.isDone { worker.ended(self) }
    }
}

// Suspending: the library does not look at a suspended connection, so the loop watches its socket.
extension Exchange {
    func suspend() {
        guard case .working(let connection) = state.library else { return }
        state.library = .suspended(connection)
        connection.suspend()
        // While it waits for us, the caller's rate of sending or reading does not count.
        switch state.caller.stage {
        case .body, .sending: state.caller.enter(.busy)
        case .handshake, .idle, .head, .busy: break
        }
        worker.watch(state.caller)
        // Not at once, since this is called from within the library.
        if state.caller.hasCallerLeft { loop.performSoon { self.leave() } }
    }

    func resume() {
        guard case .suspended(let connection) = state.library else { return }
        state.library = .working(connection)
        goOn(connection)
    }

    /// Lets the library look at a connection again that was suspended.
    private func goOn(_ connection: LibraryConnection) {
        if state.incoming.isOpen {
            state.caller.enter(.body(count: 0))
        } else if case .queued(let answer?) = state.answering {
            state.caller.enter(stageOfAnswer(answer))
        }
        connection.resume()
        loop.setRunDue()
    }
}
