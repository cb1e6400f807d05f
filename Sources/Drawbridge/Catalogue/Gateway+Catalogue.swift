import HTTPTypes
import Synchronization

// What programs ask about all that pages may call.
extension Gateway {
    /// What pages may call in a session.
    func catalogue(in session: Session) -> Catalogue {
        let special = specialHandlers.withLock { $0 }.reversed()
        return Catalogue(
            layers: replyBook.layers(in: session),
            handlers: special.map { ($0.set.all, $0.pattern.text) } + [(handlers.all, nil)])
    }

    @concurrent
    func describe(_ path: OwnPath, _ query: RecordQuery, _ request: Request) async throws -> Response {
        if path == .record { return try recording(query, request) }
        let catalogue = catalogue(in: query.filter.session ?? .usual)
        let records = journal.read(RecordFilter(session: query.filter.session)).records
        let seen = journal.isOn ? SeenCalls(records, of: catalogue) : nil
        switch path {
        case .handlers:
            let redaction = redaction(for: query)
            let entries = try entries(of: catalogue, named: query["name"])
            return .success(.array(entries.map { $0.json(seen?[$0], redaction) }))
        case .openAPI:
            let document = OpenAPIDocument(
                NativeTypes(catalogue, seen), base: address(asAskedBy: request),
                .init(
                    hasEnvelope: answers != .bare,
                    type: answers == .envelope ? "text/json" : "application/json"),
                marked: NativeMark(rules))
            return .text("\(document.json)\n", as: "application/json")
        default: return .text(TypeScriptFile(NativeTypes(catalogue, seen)).text)
        }
    }

    private func entries(
        of catalogue: Catalogue, named name: String?
    ) throws(HTTPError) -> [Catalogue.Entry] {
        guard let name else { return catalogue.entries }
        let entries = catalogue.entries(named: name)
        guard entries.isEmpty else { return entries }
        let near = Nearest.of(CallName.plain(name), among: catalogue.entries.map(\.name))
        let all = "GET \(OwnPath.handlers.path) lists all names"
        throw HTTPError(
            .notFound, "nobody answers \(name.cut(to: 100)); \(near.map { "did you mean \($0)?" } ?? all)")
    }

    /// The answered calls as a file of replies.
    private func recording(_ query: RecordQuery, _ request: Request) throws(HTTPError) -> Response {
        try RecordQuery.checkMaySeeSecrets(request)
        guard journal.isOn else {
            throw HTTPError(.notFound, "this gateway keeps no journal; make it with keepsJournal: true")
        }
        try journal.check(query.since, query.filter)
        let found = journal.read(query.filter, since: query.since)
        var response = Response.text(
            Recording(
                found.records, of: query.filter.session?.name, answers: answers, isWhole: !found.hasLost
            ).text)
        response.headers[.contentDisposition] = "attachment; filename=drawbridge.json"
        return response
    }
}
