import EventLoop
import Glibc
import HTTPTypes
import Logging
import Synchronization
import TLS

// Called by the library, through the worker, on the loop's thread.
extension Exchange {
    /// Takes a part of the body; returns false to close the connection.
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
                .contentTooLarge, "the body has more than the \(limit) bytes that are taken here")
            discardBody(answering: worker.server.refuse(refusal))
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
        own.value.incoming.end()
        if let refusal = own.value.incoming.refusal { return queue(refusal) }
        own.value.caller.enter(.busy)
        var body: [UInt8] = []
        if !isStreamed, case .notBegun = own.value.handler {
            // The body became complete while the server stops, which is too late to start a handler.
            if worker.own.value.isDraining { return queue(worker.server.stopping) }
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
            suspend()
            return true
        }
    }

    /// Starts the handler, once: with the head where the body is streamed, else when the body is complete.
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

    /// The library needs bytes of a streamed answer: copies some, or suspends and returns 0.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !hasLeft else { return -2 }
        let count =
            switch own.value.rest {
            case .fetched(let source): source.read(into: buffer)
            case .written(let outgoing): outgoing.take(into: buffer)
            case .nothing, .upgrade: -2
            }
        if count == 0 { suspend() }
        // In HTTP/1.0 a closed connection ends the body: only a reset shows that it broke off (RFC 9112, section 8).
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

    /// Called when the library is done with this request, whether all of the answer was sent or not.
    func completed(inFull: Bool) {
        // An upgraded connection was completed when it was handed over.
        guard !own.value.library.isDone else { return }
        // A handler that returns during the cancellation below is counted where it returns.
        let handlerHadReturned = own.value.handler.hasReturned
        own.value.library = .done(hasLeft: hasLeft)
        if case .carried(let response) = own.value.answering {
            own.value.answering = .queued(nil)
            worker.own.value.responses.giveBack(response)
        }
        // Without an answer, its handler may still have the request's body.
        if isAnswered { bodyShare.giveBack() }
        own.value.caller.own.value.exchange = nil
        own.value.caller.own.value.isNew = false
        own.value.caller.enter(.idle(received: nil))
        if !inFull || !isAnswered || own.value.rest.outgoing?.isOver == false { leave() }
        // The library closes the connection, but not always in this run, and nothing else would cause the next.
        if !inFull {
            own.value.caller.visitOften()
            loop.setRunDue()
        }
        // Where the length is known, the library has not fetched the end, by which the source is released.
        forgetSource()
        if let upgrading = takeUpgrade() { upgrading.abort("the handshake was not answered") }
        own.value.cutOff.take()?.over()
        endIfStarted(handlerHadReturned: handlerHadReturned)
    }

    /// Takes the WebSocket or tunnel that the connection becomes; nil when called again.
    func takeUpgrade() -> (any Upgraded)? {
        guard case .upgrade(let upgrading) = own.value.rest else { return nil }
        own.value.rest = .nothing
        return upgrading
    }

    /// Counts the exchange as over, once: here, or where its handler returns.
    private func endIfStarted(handlerHadReturned: Bool) {
        if handlerHadReturned {
            worker.ended(self)
        } else if case .underWay = own.value.handler {
            // The connection has closed while its handler still runs.
            worker.own.value.callerless[ObjectIdentifier(self)] = self
        }
    }

    /// Called when the caller has left, or has to: cancels the handler, and lets the library close the connection.
    func leave() {
        guard !hasLeft else { return }
        let library = own.value.library
        own.value.library = library.connection.map { .leaving($0) } ?? .done(hasLeft: true)
        // A handler may return while it is cancelled, which drops its task and closure: this copy holds both.
        let handler = own.value.handler
        handler.cancel()
        own.value.incoming.fail()
        own.value.rest.outgoing?.forget()
        forgetSource()
        if case .suspended(let connection) = library { goOn(connection) }
    }

    /// Called when the server stops waiting: a caller without an answer gets a 503, any other is cut off.
    func stop() {
        guard !isAnswered, !hasLeft, !own.value.library.isDone else { return release() }
        wasStopped.store(true, ordering: .relaxed)
        set(worker.server.stopping)
        // Its answer would come too late.
        let handler = own.value.handler
        handler.cancel()
    }

    /// Called when the server stops: closes the connection, whatever state this is in.
    func release() {
        if !hasLeft { wasStopped.store(true, ordering: .relaxed) }
        leave()
        if !own.value.library.isDone { own.value.caller.cut() }
    }

    /// Called when the handler has returned; unless its answer is complete, earlier calls of other threads go first.
    func returned() {
        if isAnswered, own.value.rest.outgoing == nil {
            handled()
        } else {
            loop.performSoon { self.handled() }
        }
    }

    private func handled() {
        own.value.handler = .returned
        // A caller that has left needs no answer.
        if !isAnswered, !own.value.library.isDone, !hasLeft {
            set(worker.server.refuse(Refusal(.internalServerError, "the server has no answer")))
        }
        if let outgoing = own.value.rest.outgoing {
            if let error = outgoing.end() { worker.server.logger.error("\(head.target): \(error)") }
            if outgoing.hasNews { resume() }
        }
        if own.value.library.isDone { worker.ended(self) }
    }
}

// Suspending: the library does not look at a suspended connection, so the loop watches its socket.
extension Exchange {
    func suspend() {
        guard case .working(let connection) = own.value.library else { return }
        own.value.library = .suspended(connection)
        connection.suspend()
        // While it waits for us, the caller's rate of sending or reading does not count.
        switch own.value.caller.own.value.stage {
        case .body, .sending: own.value.caller.enter(.busy)
        case .handshake, .idle, .head, .busy: break
        }
        worker.watch(own.value.caller)
        // Not at once, since this is called from within the library.
        if own.value.caller.own.value.hasCallerLeft { loop.performSoon { self.leave() } }
    }

    func resume() {
        guard case .suspended(let connection) = own.value.library else { return }
        own.value.library = .working(connection)
        goOn(connection)
    }

    /// Lets the library look at a connection again that was suspended.
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

// Handing over.
extension Exchange {
    /// Called by the library when the 101 was sent.
    ///
    /// - Parameters:
    ///   - socket: the connection, or under TLS the end of a pair.
    ///   - extra: the bytes that came behind the request.
    ///   - end: lets the library close the connection, in one of its next runs.
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
        // The library forgets the connection with its memory, and the duplicate stays.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let error = SystemError("cannot keep the connection")
        end()
        loop.setRunDue()
        guard own >= 0 else { return upgrading.abort("\(error)") }
        worker.upgrades.add(upgrading, Transport(own), extra: extra)
    }
}
