import EventLoop
import HTTPTypes
import Logging
import Synchronization

// Called by the library, through the worker, on the loop's thread.
extension Exchange {
    /// A part of the body; returns false to close the connection.
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

    /// The request is complete; called again after each resume until there is an answer.
    ///
    /// Returns false to close the connection.
    func complete() -> Bool {
        guard !hasLeft else { return false }
        state.incoming.end()
        if let refusal = state.incoming.refusal { return queue(refusal) }
        state.caller.enter(.busy)
        var body: [UInt8] = []
        if !isStreamed, case .notBegun = state.handler {
            // A body that came while the server stops: it is too late to start.
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

    /// Starts the handler, once: a streamed body's with its head, a collected one's when it is complete.
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
        // To HTTP/1.0 an end of the connection is that of the body, and only a reset is none (RFC 9112, section 8).
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

    /// The library is done with this request, one way or the other.
    func completed(inFull: Bool) {
        // What was handed over has been completed before.
        guard !state.library.isDone else { return }
        // One that returns while it is told here is counted where it returns.
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
        // One whose length is known has no end that is fetched.
        forgetSource()
        if let upgrading = takeUpgrade() { upgrading.abort("the handshake was not answered") }
        state.cutOff.take()?.over()
        endIfStarted(handlerHadReturned: handlerHadReturned)
    }

    /// What the connection becomes, once.
    func takeUpgrade() -> (any Upgraded)? {
        guard case .upgrade(let upgrading) = state.rest else { return nil }
        state.rest = .nothing
        return upgrading
    }

    /// The library has done its part, and the connection goes on otherwise.
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

    /// The caller has gone, or must go: cancels the handler and lets the library close.
    func leave() {
        guard !hasLeft else { return }
        let library = state.library
        state.library = library.left
        // A handler that returns when it is told drops its task and its closure: the copy keeps both until then.
        let handler = state.handler
        handler.cancel()
        state.incoming.fail()
        state.rest.outgoing?.forget()
        forgetSource()
        if case .suspended(let connection) = library { goOn(connection) }
    }

    /// The server stops, and waits no more: who has no answer gets a 503, and all others are cut off.
    func stop() {
        guard !isAnswered, !hasLeft, !state.library.isDone else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Its answer would come too late.
        let handler = state.handler
        handler.cancel()
    }

    /// The server stops: lets go of the connection, whatever state this is in.
    func release() {
        if !hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if !state.library.isDone { state.caller.cut() }
    }

    /// The handler has returned: unless its answer is whole, what other threads sent before goes first.
    func returned() {
        if isAnswered, state.rest.outgoing == nil {
            handled()
        } else {
            loop.performSoon { self.handled() }
        }
    }

    private func handled() {
        state.handler = .returned
        // Whoever left waits for none.
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

// Suspending: a connection of the library's that waits for us is blind, so its socket is watched by the loop.
extension Exchange {
    func suspend() {
        guard case .working(let connection) = state.library else { return }
        state.library = .suspended(connection)
        connection.suspend()
        // Until there is something to take, or somebody takes what has come, nobody is slow.
        switch state.caller.stage {
        case .body, .sending: state.caller.enter(.busy)
        case .handshake, .idle, .head, .busy: break
        }
        worker.watch(state.caller)
        // Not from within the library.
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
