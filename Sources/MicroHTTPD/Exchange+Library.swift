import EventLoop
import HTTPTypes
import Logging
import Synchronization

// Called by the library, through the worker, on the loop's thread.
extension Exchange {
    /// A part of the body; returns false to close the connection.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !state.hasLeft else { return false }
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
        guard !state.hasLeft else { return false }
        state.incoming.end()
        if let refusal = state.incoming.refusal { return queue(refusal) }
        state.caller.enter(.busy)
        var body: [UInt8] = []
        if !isStreamed, !state.isStarted {
            // A body that came while the server stops: it is too late to start.
            if worker.isDraining { return queue(worker.server.stopping) }
            body = state.incoming.takeCollected()
        }
        state.isCompleting = true
        start(with: consume body)
        if !isAnswered { drainTasks { isAnswered } }
        state.isCompleting = false
        guard !state.hasLeft else { return false }
        if state.isQueued { return true }
        if let answer = state.answer { return queue(answer) }
        suspend()
        return true
    }

    /// Starts the handler, once: a streamed body's with its head, a collected one's when it is complete.
    func start(with body: consuming [UInt8] = []) {
        guard !state.isStarted, !isAnswered else { return }
        state.isStarted = true
        state.caller.exchange = self
        worker.began()
        worker.server.handle(self, consume body)
    }

    /// The library needs bytes of a streamed answer: copies some, or suspends and returns 0.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !state.hasLeft else { return -2 }
        let count: Int
        if let source = state.source {
            count = source.read(into: buffer)
        } else {
            count = state.outgoing?.take(into: buffer) ?? -2
        }
        if count == 0 { suspend() }
        // To HTTP/1.0 an end of the connection is that of the body, and only a reset is none (RFC 9112, section 8).
        if count == -2, head.isOldVersion, case .stream(length: nil)? = state.answer?.body {
            state.caller.reset()
        }
        if count < 0 { forgetSource() }
        return count
    }

    private func forgetSource() {
        guard let source = state.source else { return }
        state.source = nil
        source.isDone()
    }

    /// The library is done with this request, one way or the other.
    func completed(inFull: Bool) {
        // What was handed over has been completed before.
        guard state.connection != nil else { return }
        state.isSuspended = false
        state.connection = nil
        if let response = state.response.take() { worker.giveBack(response) }
        // Without an answer, its handler may still have the request's body.
        if isAnswered { bodyShare.giveBack() }
        state.caller.exchange = nil
        state.caller.isNew = false
        state.caller.enter(.idle(received: nil))
        if !inFull || !isAnswered || state.outgoing?.isOver == false { leave() }
        // The library closes the connection, but not always in this run, and nothing else would cause the next.
        if !inFull {
            state.caller.visitOften()
            loop.setRunDue()
        }
        // One whose length is known has no end that is fetched.
        forgetSource()
        let upgrading = state.upgrading.take()
        upgrading?.abort("the handshake was not answered")
        state.cutOff.take()?.over()
        endIfStarted()
    }

    /// The library has done its part, and the connection goes on otherwise.
    func handedOver() -> Connection {
        worker.unwatch(state.caller)
        state.connection = nil
        state.caller.exchange = nil
        state.caller.isNew = false
        state.caller.enter(.busy)
        endIfStarted()
        return state.caller
    }

    private func endIfStarted() {
        guard state.isStarted else { return }
        if state.isHandled { worker.ended(self) } else { worker.lostCaller(of: self) }
    }

    private func cancelHandler() {
        // Both are held here while they are called: what they end may forget them.
        let (task, cancel) = (state.task, state.cancel)
        task?.cancel()
        cancel?()
    }

    /// The caller has gone, or must go: cancels the handler and lets the library close.
    func leave() {
        guard !state.hasLeft else { return }
        state.hasLeft = true
        cancelHandler()
        state.incoming.fail()
        state.outgoing?.forget()
        forgetSource()
        if state.isSuspended { resume() }
    }

    /// The server stops, and waits no more: who has no answer gets a 503, and all others are cut off.
    func stop() {
        guard !isAnswered, !state.hasLeft, state.connection != nil else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Its answer would come too late.
        cancelHandler()
    }

    /// The server stops: lets go of the connection, whatever state this is in.
    func release() {
        if !state.hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if state.isSuspended { resume() }
        if state.connection != nil { state.caller.cut() }
    }

    /// The handler has returned: unless its answer is whole, what other threads sent before goes first.
    func returned() {
        if isAnswered, state.outgoing == nil {
            handled()
        } else {
            loop.performSoon { self.handled() }
        }
    }

    private func handled() {
        state.task = nil
        state.cancel = nil
        state.isHandled = true
        // Whoever left waits for none.
        if !isAnswered, state.connection != nil, !state.hasLeft {
            let (head, body) = worker.server.refuse(
                Refusal(.internalServerError, "the server has no answer"))
            set(Answer(head, .bytes(body), closing: true))
        }
        if let error = state.outgoing?.end() { worker.server.logger.error("\(head.target): \(error)") }
        if state.isSuspended, state.outgoing?.hasNews == true { resume() }
        if state.connection == nil { worker.ended(self) }
    }
}

// Suspending: a connection of the library's that waits for us is blind, so its socket is watched by the loop.
extension Exchange {
    func suspend() {
        guard let connection = state.connection, !state.isSuspended else { return }
        state.isSuspended = true
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
        guard let connection = state.connection, state.isSuspended else { return }
        state.isSuspended = false
        if state.incoming.isOpen {
            state.caller.enter(.body(count: 0))
        } else if state.isQueued, let answer = state.answer {
            state.caller.enter(stageOfAnswer(answer))
        }
        connection.resume()
        loop.setRunDue()
    }
}
