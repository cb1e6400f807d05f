import HTTPTypes
import Synchronization

// Calls that no page makes: a name is tried, a call of the journal is made again.
extension Gateway {
    /// The URL by which a program reaches this gateway; the inspector is at another address.
    func address(asAskedBy request: Request) -> String {
        let asked = "\(request.scheme)://\(request.authority ?? "localhost")"
        return request.isOfInspector ? ownAddress.withLock { $0 } ?? asked : asked
    }

    /// Removes secrets from what leaves the journal; nil where they are shown.
    func redaction(for query: RecordQuery) -> Redaction? {
        query.showsSecrets ? nil : secrets.withLock { $0 }
    }

    /// The settings for copies of calls that this request asks for.
    func copying(for request: Request, _ redaction: Redaction?) -> CallCopy.Setting {
        CallCopy.Setting(
            base: address(asAskedBy: request), mark: NativeMark(rules), answers: answers,
            redaction: redaction,
            usual: secrets.withLock { $0 })
    }

    /// Calls a name in place of a page.
    ///
    /// - Returns: the record of the call, with its answer.
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

    /// Repeats a call, for the same page where that is still open.
    ///
    /// - Parameter input: an input in place of the recorded one; nil for the same.
    func repeats(
        _ record: JournalRecord, input: JSON?, _ redaction: Redaction?
    ) async throws(HTTPError) -> Response {
        var request: Request
        if let page = record.page.flatMap({ pages.page($0.id) }), page.isOpen,
            let bridge = Page.Bridge(rawValue: record.head.bridge),
            record.head.contentType == "application/json"
        {
            let call = PageCall(
                repeating: record.number, record.name, input ?? record.shownInput(nil), bridge: bridge)
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

    private func record(of request: Request, _ redaction: Redaction?) async throws(HTTPError) -> Response {
        let id = request.id
        let response = await respond(to: request)
        response.afterwards?()
        guard let mine = journal.record(ofRequest: id) else {
            throw HTTPError(.gone, "the call has left the journal already; too many came")
        }
        return .success(mine.json(redaction))
    }
}
