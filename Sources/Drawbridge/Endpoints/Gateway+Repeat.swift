// Calls that do not come from a page: a program tries a name, or repeats a call of the journal.
extension Gateway {
    func redaction(for query: RecordQuery) -> Redaction? {
        query.showsSecrets ? nil : secrets
    }

    /// Calls a name as a page would; the response contains the journal's record of the call.
    func calls(
        _ name: String, _ input: JSON, in session: Session, _ redaction: Redaction?
    ) async throws(HTTPError) -> Response {
        let target = "/" + Percent.encode(CallName.plain(name), keeping: "/")
        var request = Request(
            .post, target, headers: [.contentType: "application/json", .session: session.name],
            body: .init(input.isNull ? [] : input.bytes), calling: RepeatedCall(at: "program"))
        request.answerer = self
        return try await record(of: request, redaction)
    }

    /// Repeats a call, in the name of the same page if that is still open.
    ///
    /// - Parameter input: replaces the recorded input; nil to send that again.
    func repeats(
        _ record: JournalRecord, input: JSON?, _ redaction: Redaction?
    ) async throws(HTTPError) -> Response {
        var request: Request
        if let page = record.page.flatMap({ pages[$0.id] }), page.isOpen,
            let bridge = Page.Bridge(rawValue: record.head.bridge),
            record.head.contentType == "application/json"
        {
            var call = PageCall(record.name, input ?? record.shownInput(nil), by: bridge)
            call.resentFrom = record.number
            request = self.request(call, of: page)
        } else {
            var headers: HTTPFields = [.session: record.session.name]
            var (method, target, body) = (record.head.method ?? .post, record.head.target, record.input.bytes)
            headers[.contentType] = record.head.contentType
            if let input {
                headers[.contentType] = "application/json"
                target = String(target.prefix { $0 != "?" })
                (method, body) = (method == .get ? .post : method, input.isNull ? [] : input.bytes)
            }
            request = Request(
                method, target, headers: headers, body: .init(body),
                calling: RepeatedCall(at: record.head.bridge, repeating: record.number))
        }
        request.answerer = self
        return try await self.record(of: request, redaction)
    }

    /// Writes the names that were not answered since the process began into the file of mocks, each once, with its
    /// inputs as a comment, and what pages looked for in vain into its settings.
    ///
    /// - Parameter record: the number of a notice, to give pages what it says they lack, and nothing else.
    /// - Throws: an ``HTTPError``: a 409 if there is no file that can be written, or if the file has changed.
    package func saveMissing(by: String, only record: Int? = nil) async throws -> SavedNames {
        let redaction = secrets
        let lacks = missing(record)
        if let record, lacks.isEmpty {
            throw HTTPError(
                .conflict, "pages have it already, or record \(record) names nothing that they lack")
        }
        let (missed, beyond) = record == nil ? journal.unansweredCalls : ([], 0)
        var refused: [String] = []
        let names = missed.compactMap { name, calls in
            guard CallName.canHaveReply(name), calls.allSatisfy(Recording.isForOneName) else {
                refused.append(name)
                return nil as UnansweredName?
            }
            return UnansweredName(name, inputs: calls.map { $0.shownInput(redaction) }.filter { !$0.isNull })
        }
        // What pages will call then, where nothing has this name yet.
        let handlers = record == nil ? lacks.compactMap(\.call).filter { !isAnswered($0) } : []
        let given = lacks.map { (key: $0.setting.rawValue, value: $0.value) }
        let (file, new, save) = try await keeper().keep(
            missing: names + handlers.map { UnansweredName($0, inputs: []) }, giving: given, by: by)
        if record != nil, save == nil { throw HTTPError(.conflict, "pages have it already") }
        return (file, new, given, refused, beyond, save)
    }

    /// The object that writes the file of mocks, if the request may use it.
    ///
    /// A program that can write the file decides what the gateway answers after its next start, so it needs `--save`. A
    /// person in the inspector, or at the terminal (without a request), sees what is written, and does not need it.
    package func keeper(for request: Request? = nil) throws(HTTPError) -> any ReplyKeeper {
        guard let keeper = program.replyKeeper else {
            throw HTTPError(
                .forbidden,
                "this program cannot write files; a gateway that the drawbridge command starts can")
        }
        guard request?.isOfInspector != false || keeper.isForPrograms else {
            throw HTTPError(.forbidden, "programs may not write files; start the gateway with --save")
        }
        return keeper
    }

    private func record(of request: Request, _ redaction: Redaction?) async throws(HTTPError) -> Response {
        let id = request.id
        let response = await respond(to: request)
        response.afterwards?()
        if let mine = journal.record(ofRequest: id) { return .success(mine.json(redaction)) }
        throw HTTPError(.gone, "the journal has dropped the call already, since too many others came")
    }
}
