// Decisions after the head of a request, before its body.
extension Worker {
    func begin(
        _ connection: LibraryConnection, method: UnsafePointer<CChar>
    ) -> (exchange: Exchange?, goesOn: Bool) {
        guard let caller = connection.caller?.takeUnretainedValue() else { return (nil, false) }
        caller.enter(.busy)
        let head: AuditedHead
        do {
            head = try layout.audit(
                connection, method: method, target: caller.own.value.target, scheme: scheme, limits: limits,
                known: &own.value.knownHeads)
        } catch {
            let answer = server.refuse(caller.refused(error))
            guard error.status == .requestHeaderFieldsTooLarge, String(cString: method) != "HEAD" else {
                return (nil, answer.queue(on: connection, for: nil))
            }
            // Sent without the library, which may have no memory left for a response.
            caller.cut(saying: answer.written)
            return (nil, false)
        }
        guard own.value.phase != .stopping else {
            return (nil, server.stopping.queue(on: connection, for: nil))
        }
        let (mode, refusal, handle) = taking(head, from: caller)
        if let refusal, !isDropped(head) { return (nil, refusal.queue(on: connection, for: nil)) }
        let exchange = Exchange(head, mode, handle, connection, caller, self)
        if let refusal { exchange.discardBody(answering: refusal) }
        if head.framing != .none { caller.enter(.body(count: 0)) }
        if exchange.isStreamed { exchange.start() }
        return (exchange, true)
    }

    /// How the body is read, or the response that refuses it before a `100 Continue`.
    ///
    /// - Returns: also a closure that answers this request instead of its head's handler; nil for none.
    private func taking(
        _ head: AuditedHead, from caller: Connection
    ) -> (Incoming.Mode, refusal: Answer?, HTTPServer.Handle?) {
        guard head.framing != .none else { return (.collected(upTo: 0), nil, nil) }
        let length = head.framing.length ?? 0
        if length > 0, length <= server.promptBodies, !head.expectsContinue {
            return (.collected(upTo: length), nil, nil)
        }
        let (choice, handle) = server.handler(of: head)
            .chooseBody(head, from: caller.address, at: caller.localAddress)
        let refusal: Answer
        switch choice {
        case .streamed: return (.streamed, nil, handle)
        case .refused(let response, let body): refusal = Answer(response, .bytes(body), closing: true)
        case .collected(let limit):
            if length > limit {
                refusal = server.refuse(
                    Refusal(.contentTooLarge, "the body has \(length) bytes; the limit is \(limit)"))
            } else if length > 0, !server.bodyMemory.hasRoom(for: length) {
                refusal = noRoom("a body of \(length) bytes for \(head.target)")
            } else {
                return (.collected(upTo: limit), nil, handle)
            }
        }
        return (.dropped(upTo: server.limits.discarded), refusal, nil)
    }

    /// Whether to read and drop a refused body first, because many clients read the response only after sending it.
    private func isDropped(_ head: AuditedHead) -> Bool {
        if let length = head.framing.length, length > server.limits.discarded { return false }
        return !head.expectsContinue
    }
}
