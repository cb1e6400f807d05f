import HTTPTypes

// What is decided when a head has come, before its body.
extension Worker {
    /// The first call for a request, when only its head has come.
    func begin(
        _ connection: LibraryConnection, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> (exchange: Exchange?, goesOn: Bool) {
        guard let caller = connection.caller?.takeUnretainedValue() else { return (nil, false) }
        let head: AuditedHead
        do {
            head = try reading.audit(
                connection, method: method, target: caller.target, version: version, scheme: scheme,
                limits: limits, known: &state.knownHeads)
        } catch {
            return (nil, refuse(error, connection))
        }
        guard !state.isDraining else { return (nil, server.stopping.queue(on: connection, for: nil)) }
        caller.enter(.busy)
        let exchange: Exchange
        let (choice, kept) = bodyChoice(of: head, from: caller)
        switch choice {
        case .refused(let answer):
            guard let limit = droppableLength(head) else {
                return (nil, answer.queue(on: connection, for: nil))
            }
            exchange = Exchange(head, .dropped(upTo: limit), kept, connection, caller, self)
            exchange.discardBody(answering: answer)
        case .collected(let limit):
            exchange = Exchange(head, .collected(upTo: limit), kept, connection, caller, self)
        case .streamed:
            exchange = Exchange(head, .streamed, kept, connection, caller, self)
        }
        if head.framing != .none { caller.enter(.body(count: 0)) }
        if exchange.isStreamed { exchange.start() }
        return (exchange, true)
    }

    /// What happens to the body of a request.
    private enum BodyChoice {
        /// The request is refused, and nobody reads its body.
        case refused(Answer)
        case collected(upTo: Int)
        case streamed
    }

    /// What happens to the body; a length over the limit is refused here, before `100 Continue`.
    ///
    /// - Returns: the choice, with the object that the closure keeps for the handler; nil where that was not called.
    private func bodyChoice(
        of head: AuditedHead, from caller: Connection
    ) -> (BodyChoice, (any AnyObject & Sendable)?) {
        guard head.framing != .none else { return (.collected(upTo: 0), nil) }
        if case .length(let length) = head.framing, length <= server.promptBodies, !head.expectsContinue {
            return (.collected(upTo: length), nil)
        }
        let (choice, kept) = server.chooseBody(head, from: caller)
        return (fitting(choice, head), kept)
    }

    /// The choice, or a refusal where the announced length does not fit.
    private func fitting(_ choice: HTTPServer.BodyChoice, _ head: AuditedHead) -> BodyChoice {
        if case .collected(let limit) = choice, case .length(let length) = head.framing,
            length > limit
        {
            let refusal = Refusal(
                .contentTooLarge, "the body has \(length) bytes, and \(limit) are taken here")
            let (response, body) = server.refuse(refusal)
            return .refused(Answer(response, .bytes(body), closing: true))
        }
        if case .collected = choice, case .length(let length) = head.framing,
            !server.bodyMemory.hasRoom(for: length)
        {
            return .refused(noRoom("a body of \(length) bytes for \(head.target)"))
        }
        switch choice {
        case .refused(let response, let body):
            return .refused(Answer(response, .bytes(body), closing: true))
        case .collected(let limit): return .collected(upTo: limit)
        case .streamed: return .streamed
        }
    }

    /// How much of a refused body is read so that its sender sees the answer; nil where the answer is sent at once.
    private func droppableLength(_ head: AuditedHead) -> Int? {
        guard !head.expectsContinue else { return nil }
        if case .length(let length) = head.framing, length > server.limits.discarded { return nil }
        return server.limits.discarded
    }

    private func refuse(_ refusal: Refusal, _ connection: LibraryConnection) -> Bool {
        let (head, body) = server.refuse(refusal)
        return Answer(head, .bytes(body), closing: true).queue(on: connection, for: nil)
    }
}
