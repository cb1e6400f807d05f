import Synchronization

// Records calls of native, and requests that are passed through, in the journal.
extension Gateway {
    /// Records the start of a call, which gets its number in the journal.
    ///
    /// Call it only while the journal is on.
    ///
    /// - Parameter original: the request as it was sent.
    @inline(never)
    func begins(_ plain: inout Request, original: Request) {
        guard plain.record == nil else { return }
        let input = plain.bridgeInput?.bytes ?? plain.body.bytes ?? (plain.body.length == 0 ? [] : nil)
        plain.record = journal.begin(plain, from: plain.caller(at: bridge(of: plain, original)), input)
    }

    private func bridge(of plain: Request, _ original: Request) -> String {
        if let page = plain.callingPage {
            // Calls of injected functions are recorded as `function`, the bridge of such calls.
            let bridge = page.call.bridge == .inject ? .function : page.call.bridge
            return bridge?.rawValue ?? "page"
        }
        if let repeated = plain.channelCall as? RepeatedCall { return repeated.bridge }
        if let bridge = original.claimingBridge { return bridge.rawValue }
        return JSBridgeRule.isNamed(by: original) ? Authority.bridge : "flag"
    }

    /// Hides all records from a session, or from all; what pages look for in vain is told again.
    package func forget(_ session: Session?) {
        journal.forget(session)
        lacks.withLock { $0.forget() }
    }

    func passes(_ request: Request) -> Int? {
        journal.isOn ? journal.begin(request, as: .request, from: request.caller(at: "")) : nil
    }

    /// Records the answer to a request that was passed through.
    ///
    /// - Parameter status: nil if there is no answer, for example because the caller has left.
    func passed(_ number: Int?, _ status: HTTPResponse.Status?) {
        guard let number else { return }
        // A caller that has left is not recorded as an error.
        let status = Task.isCancelled ? nil : status
        let outcome: JournalRecord.State = status.map { $0.code < 400 ? .answered : .error } ?? .left
        journal.end(number, outcome, code: status?.code)
    }

    /// Records why a handler did not take a call, before the next one is asked.
    func notes(_ why: @autoclosure () -> String, of plain: Request) {
        if let number = plain.record { journal.note(of: number) { $0.why.append(why()) } }
    }

    func sends(_ plain: Request) {
        guard let number = plain.record, let input = plain.bridgeInput?.bytes ?? plain.body.bytes else {
            return
        }
        journal.note(input, of: plain, number)
    }

    /// Records the answer of a handler or a reply.
    ///
    /// - Parameter response: not changed; it is `inout` only to avoid a copy.
    @inline(never)
    func ends(_ request: Request, by answering: some Answering, _ response: inout Response) {
        guard let number = request.record else { return }
        let code = response.code ?? response.status.code
        let outcome: JournalRecord.State = response.isSilent ? .silent : code < 400 ? .answered : .error
        journal.end(
            number, outcome, by: answering.answerer, code: code, output: response.body.bytes ?? [],
            form: .init(of: &response))
    }

    func ends(
        _ request: Request, by answering: some Answering, _ error: HTTPError, because cause: any Error
    ) {
        guard let number = request.record else { return }
        let outcome: JournalRecord.State =
            cause is CancellationError ? .left : error.status == .gatewayTimeout ? .expired : .error
        journal.end(
            number, outcome, by: answering.answerer, code: error.code,
            output: UsualEnvelope.failure(error), form: .failure(status: error.status.code))
    }

    /// Records the end of a call that no handler has answered.
    ///
    /// - Parameters:
    ///   - answerer: the reply that answered it; nil to find out by the answer.
    ///   - answer: its ``Response/answeredBy`` is set if the gateway itself has answered and it was nil.
    @inline(never)
    func ends(
        _ plain: Request, _ answer: inout Response, by answerer: JournalRecord.Answerer? = nil,
        as state: JournalRecord.State? = nil
    ) {
        guard let number = plain.record else { return }
        let by =
            answerer
            ?? (answer.answeredBy == Response.noHandler ? .nobody : answer.hasPassed ? nil : .gateway)
        // The access log then knows that this call has a line of its own.
        if by == .gateway, answer.answeredBy == nil { answer.answeredBy = Response.ownAnswer }
        let code = answer.code ?? answer.status.code
        // A reply may wait for a person's choice; if the caller leaves meanwhile, that is not recorded as an error.
        let hasLeft = by != .nobody && Task.isCancelled
        // Without a handler, a code below 400 means that an upstream has answered.
        let outcome: JournalRecord.State =
            hasLeft ? .left : state ?? (by == nil && code < 400 ? .answered : .error)
        journal.end(number, outcome, by: by, code: code, output: answer.body.bytes ?? [])
    }
}

extension JournalRecord.Form {
    /// The kind of a response, which is `inout` only to avoid a copy.
    fileprivate init(of response: inout Response) {
        switch response.body.content {
        case .output: self = .value
        case .bytes: self = .raw(type: response.contentType?.text ?? response.ownHeaders[.contentType] ?? "")
        case .file, .stream, .source, .upgrade: self = .stream
        }
    }
}
