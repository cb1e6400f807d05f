import HTTPTypes

// Where calls of native's, and what passes on, get into the journal.
extension Gateway {
    /// A call begins; it has its number in the journal from now on.
    ///
    /// To be asked where there is a journal.
    ///
    /// - Parameter original: the request as it was sent.
    @inline(never)
    func begins(_ plain: inout Request, original: Request) {
        guard plain.record == nil else { return }
        let input = plain.bridgeInput?.bytes ?? plain.body.bytes ?? (plain.body.length == 0 ? [] : nil)
        plain.record = journal.begin(plain, at: bridge(of: plain, original), input)
    }

    private func bridge(of plain: Request, _ original: Request) -> String {
        if let page = plain.callingPage {
            // By the name that its bridge has on the way to pages.
            let bridge = page.call.bridge == .inject ? .function : page.call.bridge
            return bridge?.rawValue ?? "page"
        }
        if let repeated = plain.channelCall as? RepeatedCall { return repeated.bridge }
        if let bridge = original.claimingBridge { return bridge.rawValue }
        return JSBridgeRule.isNamed(by: original) ? Authority.bridge : "flag"
    }

    /// A request passes on to whoever lies behind.
    ///
    /// - Returns: its number in the journal; nil where there is none.
    func passes(_ request: Request) -> Int? {
        journal.isOn ? journal.begin(request, as: .request, at: "") : nil
    }

    /// It has its answer.
    ///
    /// - Parameter status: nil where it has none, since its caller has left for instance.
    func passed(_ number: Int?, _ status: HTTPResponse.Status?) {
        guard let number else { return }
        // What is answered to whoever has left is nobody's fault, and nobody reads it.
        let status = Task.isCancelled ? nil : status
        let outcome: JournalRecord.State = status.map { $0.code < 400 ? .answered : .error } ?? .left
        journal.end(number, outcome, code: status?.code)
    }

    /// A call goes on to whoever is asked next, because those before did not take it.
    func notes(_ why: @autoclosure () -> String, of plain: Request) {
        if let number = plain.record { journal.note(why: [why()], of: number) }
    }

    /// What a call sends is there.
    func sends(_ plain: Request) {
        guard let number = plain.record, let input = plain.bridgeInput?.bytes ?? plain.body.bytes else {
            return
        }
        journal.note(input, of: plain, number)
    }

    /// A route's handler has answered.
    ///
    /// - Parameter response: as it is; not changed, but whoever only reads it gets a copy.
    @inline(never)
    func ends(_ request: Request, by route: Route, _ response: inout Response) {
        guard let number = request.record else { return }
        let code = response.code ?? response.status.code
        let outcome: JournalRecord.State = response.isSilent ? .silent : code < 400 ? .answered : .error
        journal.end(
            number, outcome, by: route.answerer, code: code, output: response.body.bytes ?? [],
            form: .init(of: response))
    }

    /// A route's handler has failed.
    func ends(_ request: Request, by route: Route, _ error: HTTPError, because cause: any Error) {
        guard let number = request.record else { return }
        let outcome: JournalRecord.State =
            cause is CancellationError ? .left : error.status == .gatewayTimeout ? .expired : .error
        journal.end(
            number, outcome, by: route.answerer, code: error.code,
            output: UsualEnvelope.failure(error), form: .failure(status: error.status.code))
    }

    /// A call is over that no handler has answered.
    ///
    /// - Parameters:
    ///   - answerer: who is to blame, where that is known.
    ///   - answer: as it is; it may get who gave it.
    @inline(never)
    func ends(
        _ plain: Request, _ answer: inout Response, by answerer: JournalRecord.Answerer? = nil,
        form: JournalRecord.Form = .value
    ) {
        guard let number = plain.record else { return }
        let by =
            answerer
            ?? (answer.answeredBy == Response.noHandler ? .nobody : answer.hasPassed ? nil : .gateway)
        // By it the log knows that the call has its line.
        if by == .gateway, answer.answeredBy == nil { answer.answeredBy = Response.ownAnswer }
        let code = answer.code ?? answer.status.code
        // A reply asks a person before it has a handler; who leaves meanwhile is answered with an error that nobody reads.
        let hasLeft = by != .nobody && Task.isCancelled
        // Somebody behind the gateway may answer what nobody here does.
        let outcome: JournalRecord.State = hasLeft ? .left : by == nil && code < 400 ? .answered : .error
        journal.end(number, outcome, by: by, code: code, output: answer.body.bytes ?? [], form: form)
    }
}

extension JournalRecord.Form {
    /// What kind of answer it is.
    fileprivate init(of response: Response) {
        switch response.body {
        case .output: self = .value
        case .bytes: self = .raw(type: response.contentType?.text ?? response.ownHeaders[.contentType] ?? "")
        case .file, .stream, .source, .upgrade: self = .stream
        }
    }
}

extension Route {
    fileprivate var answerer: JournalRecord.Answerer {
        handler == ReplyHandler.self ? .reply(String(name.dropFirst("reply ".count))) : .handler(name)
    }
}
