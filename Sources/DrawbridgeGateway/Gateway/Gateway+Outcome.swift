import Logging

// What becomes of the answer that a handler or a reply gives.
extension Gateway {
    /// The answer that was given, in the form of the bridge by which the request came.
    func outcome(
        for request: Request, of answering: some Answering, _ response: consuming Response,
        after took: Duration
    ) -> Response {
        do {
            if request.record != nil { ends(request, by: answering, &response) }
            try dress(&response, for: request)
            label(&response, to: request, of: answering, after: took)
            return response
        } catch {
            return outcome(for: request, of: answering, error, after: took)
        }
    }

    /// The answer in place of one, since there was an error.
    func outcome(
        for request: Request, of answering: some Answering, _ error: any Error, after took: Duration
    ) -> Response {
        let cause = error
        let error = known(error, in: answering.name, request)
        ends(request, by: answering, error, because: cause)
        // A handler with a rule of its own is not called by pages that expect the envelope.
        var answer = answering.hasEnvelope ? failure(error, to: request) : Self.refusal(error)
        if error.status.kind == .clientError { answer.refusal = error.message }
        label(&answer, to: request, of: answering, after: took)
        return answer
    }

    /// Says who answered, and how long it took.
    private func label(
        _ answer: inout Response, to request: Request, of answering: some Answering, after took: Duration
    ) {
        answer.answeredBy = answering.title
        answer.seal(timing: answering.timing, took)
        if isTelling, !journal.isTold, let bytes = answer.body.bytes {
            tell(request, "\(answering.name) answers", [bytes])
        }
    }

    /// Logs what goes in and out, at the level `debug`.
    func tell(
        _ request: Request, _ what: @autoclosure () -> String, _ texts: @autoclosure () -> [[UInt8]]
    ) {
        guard isTelling else { return }
        let shown = texts().filter { !$0.isEmpty }.map { String(shown: $0) }
        request.logger.debug("\(([what()] + shown).joined(separator: " "))")
    }
}
