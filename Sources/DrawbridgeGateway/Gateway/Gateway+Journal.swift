import DrawbridgeJSON
import DrawbridgeJournal
import DrawbridgeMessages
import HTTPTypes

// Notes calls of native, and requests that are passed through, in the journal.
extension Gateway {
    /// Notes that a call begins, which gives it its number in the journal.
    ///
    /// Call it only where there is a journal.
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
            // An injected function goes by `function`, the name that its bridge has for calls to pages.
            let bridge = page.call.bridge == .inject ? .function : page.call.bridge
            return bridge?.rawValue ?? "page"
        }
        if let repeated = plain.channelCall as? RepeatedCall { return repeated.bridge }
        if let bridge = original.claimingBridge { return bridge.rawValue }
        return JSBridgeRule.isNamed(by: original) ? Authority.bridge : "flag"
    }

    func passes(_ request: Request) -> Int? {
        journal.isOn ? journal.begin(request, as: .request, from: request.caller(at: "")) : nil
    }

    /// Notes the answer of a request that was passed through.
    ///
    /// - Parameter status: nil where there is none, since its caller has left for instance.
    func passed(_ number: Int?, _ status: HTTPResponse.Status?) {
        guard let number else { return }
        // An answer to a caller that has left is not an error: nobody reads it.
        let status = Task.isCancelled ? nil : status
        let outcome: JournalRecord.State = status.map { $0.code < 400 ? .answered : .error } ?? .left
        journal.end(number, outcome, code: status?.code)
    }

    /// Notes why a call was not taken, and goes on to what is asked next.
    func notes(_ why: @autoclosure () -> String, of plain: Request) {
        if let number = plain.record { journal.note(why: [why()], of: number) }
    }

    func sends(_ plain: Request) {
        guard let number = plain.record, let input = plain.bridgeInput?.bytes ?? plain.body.bytes else {
            return
        }
        journal.note(input, of: plain, number)
    }

    /// Notes the answer of a handler or a reply.
    ///
    /// - Parameter response: not changed; a parameter that is not `inout` would be a copy.
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

    /// Notes the end of a call that no handler has answered.
    ///
    /// - Parameters:
    ///   - answerer: who answered it, where that is known.
    ///   - answer: may get its ``Response/answeredBy``.
    @inline(never)
    func ends(
        _ plain: Request, _ answer: inout Response, by answerer: JournalRecord.Answerer? = nil,
        form: JournalRecord.Form = .value
    ) {
        guard let number = plain.record else { return }
        let by =
            answerer
            ?? (answer.answeredBy == Response.noHandler ? .nobody : answer.hasPassed ? nil : .gateway)
        // This tells the access log that the call has a line of its own.
        if by == .gateway, answer.answeredBy == nil { answer.answeredBy = Response.ownAnswer }
        let code = answer.code ?? answer.status.code
        // A reply may ask a person before it has a handler; if the caller leaves meanwhile, nobody reads the error.
        let hasLeft = by != .nobody && Task.isCancelled
        // What is behind the gateway may answer what nothing here does.
        let outcome: JournalRecord.State = hasLeft ? .left : by == nil && code < 400 ? .answered : .error
        journal.end(number, outcome, by: by, code: code, output: answer.body.bytes ?? [], form: form)
    }
}

extension JournalRecord.Form {
    /// What kind of answer it is; the response is not changed here either.
    fileprivate init(of response: inout Response) {
        switch response.body {
        case .output: self = .value
        case .bytes: self = .raw(type: response.contentType?.text ?? response.ownHeaders[.contentType] ?? "")
        case .file, .stream, .source, .upgrade: self = .stream
        }
    }
}
