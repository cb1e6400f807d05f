// Makes the response from the result of a handler or a reply.
extension Gateway {
    /// Puts an answer into the form of the bridge by which the request came.
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

    func outcome(
        for request: Request, of answering: some Answering, _ error: any Error, after took: Duration
    ) -> Response {
        let cause = error
        let error = known(error, in: answering.name, request)
        ends(request, by: answering, error, because: cause)
        // A handler with its own interception rule is not called by pages that expect the envelope.
        var answer = answering.hasEnvelope ? failure(error, to: request) : Self.refusal(error)
        if error.status.kind == .clientError { answer.refusal = error.message }
        label(&answer, to: request, of: answering, after: took)
        return answer
    }

    private func label(
        _ answer: inout Response, to request: Request, of answering: some Answering, after took: Duration
    ) {
        answer.answeredBy = answering.title
        answer.seal(timing: answering.timing, took)
        if isTelling, !journal.isTold, let bytes = answer.body.bytes {
            tell(request, "\(answering.name) answers", [bytes])
        }
    }

    /// Logs the input or output of a call, at the level `debug`.
    func tell(
        _ request: Request, _ what: @autoclosure () -> String, _ texts: @autoclosure () -> [[UInt8]]
    ) {
        guard isTelling else { return }
        let shown = texts().filter { !$0.isEmpty }.map { String(shown: $0, secrets) }
        request.logger.debug("\(([what()] + shown).joined(separator: " "))")
    }
}

// The form of answers and errors: that of ``answers`` for what a handler or reply decides. A request that is refused
// before a handler is chosen gets its true HTTP status, with the same JSON object.
extension Gateway {
    /// The form of the answer to a request.
    ///
    /// A call by a `--bridge` script gets the body without an envelope, as in the web view that the script imitates.
    private func form(for request: Request) -> AnswerForm { request.claimingBridge == nil ? answers : .bare }

    /// Puts the answer of a handler into the form of the bridge by which its request came.
    func dress(_ response: inout Response, for request: Request) throws {
        let answers = form(for: request)
        try response.checkHeaders()
        let hasCaching = response.contains(.cacheControl)
        let code = response.status.code
        guard case .output(let output) = response.body.content, !request.isForScript else {
            if let type = response.contentType {
                response.seal(type)
            } else {
                response.seal(hasCaching ? .guarded : .guardedAndFresh)
            }
            return
        }
        response.body = .bytes(answers.success(output, code: code, message: response.message))
        if !answers.hasStatus { response.status = .ok }
        response.seal(
            hasCaching
                ? FixedFields(FixedFields.guarded.fields + [contentType(answers)])
                : answers.hasStatus ? Self.applicationJSONFields : Self.textJSONFields)
    }

    /// The response to an error that a handler threw, or that is sent instead of its answer.
    func failure(_ error: HTTPError, to request: Request) -> Response {
        let answers = form(for: request)
        // A bridge script gets the plain error object, and reports it to the page in its own way.
        let object = request.isForScript ? UsualEnvelope.failure(error) : answers.failure(error)
        var response = Response(
            answers.hasStatus ? error.status : .ok, headers: error.headers, body: .bytes(object))
        response.code = error.code
        response.headers[fields: .contentType] = [contentType(answers)]
        response.addSafety()
        return response
    }

    /// Logs a request that is refused before a handler is chosen; returns the response, with its true HTTP status.
    func refusal(_ error: HTTPError, of request: Request) -> Response {
        logger.warning(
            "\(request.method) \(request.path) refused: \(error.message)",
            metadata: ["request": .string(request.id)])
        var response = Self.refusal(error)
        response.answeredBy = "refused"
        return response
    }

    /// The response to a refused request, by the gateway or by the engine below it.
    package static func refusal(_ error: HTTPError) -> Response {
        var response = Response(
            error.status, headers: error.headers, body: .bytes(UsualEnvelope.failure(error)))
        response.headers[.contentType] = "application/json"
        response.addSafety()
        return response
    }

    /// The error for the page; the details of any error but an `HTTPError` are only logged.
    package func known(_ error: any Error, in place: String, _ request: Request) -> HTTPError {
        if let error = error as? RepliedError { return error.error }
        if let error = error as? HTTPError {
            if error.status.kind == .serverError { request.logger.error("\(place): \(error.message)") }
            return error
        }
        if let error = error as? PageError { return known(HTTPError(error), in: place, request) }
        if error is CancellationError {
            return HTTPError(.internalServerError, "\(place) was cancelled")
        }
        request.logger.error("\(place) failed: \(String(reflecting: error))")
        return HTTPError(
            .internalServerError, "\(place) failed; the log has the reason under request \(request.id)")
    }

    private func contentType(_ answers: AnswerForm) -> HTTPField {
        answers.hasStatus ? Self.applicationJSON : Self.textJSON
    }

    private static let applicationJSON = HTTPField(name: .contentType, value: "application/json")
    private static let textJSON = HTTPField(name: .contentType, value: "text/json")

    private static let textJSONFields = FixedFields([textJSON] + FixedFields.guardedAndFresh.fields)
    private static let applicationJSONFields =
        FixedFields([applicationJSON] + FixedFields.guardedAndFresh.fields)
}

extension Response {
    /// Throws if a header field has a control character, which swift-http-types would replace silently.
    fileprivate func checkHeaders() throws {
        guard contentType == nil else { return }
        for field in ownHeaders {
            let isClean = field.withUnsafeBytesOfValue { bytes in
                for byte in bytes where byte < 0x20 && byte != 0x09 || byte == 0x7F { return false }
                return true
            }
            guard isClean else {
                throw HTTPError(
                    .internalServerError,
                    "the header \(field.name) has a control character; encode its value")
            }
        }
    }
}
