import Synchronization

extension Gateway {
    /// What pages may call in a session; for nil, in the default session, with the calls of all sessions.
    fileprivate func catalogue(in session: Session?) -> Catalogue {
        let special = specialHandlers.withLock { $0 }.reversed()
        return Catalogue(
            layers: replyBook.layers(in: session ?? .usual),
            handlers: special.map { ($0.set, $0.title) } + [(handlers, nil)],
            calls: journal.isOn ? journal.read(RecordFilter(session: session)).records : nil)
    }
}

/// The tester's API for native names: what pages may call; past answers, as a file of mocks.
enum CatalogueAPI {
    static func handlers(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, ["session", "name", "secrets"])
        let redaction = gateway.redaction(for: query)
        let catalogue = gateway.catalogue(in: query.filter.session)
        let entries = query["name"].map(catalogue.entries(named:)) ?? catalogue.entries
        if let name = query["name"], entries.isEmpty {
            let hint = Nearest.hint(
                for: CallName.plain(name), among: catalogue.entries.map(\.name),
                otherwise: "GET \(OwnPath.handlers.path) lists all names")
            throw HTTPError(.notFound, "nobody answers \(name.cut(to: 100)); \(hint)")
        }
        return .success(.array(entries.map { $0.json(redaction) }))
    }

    static func recording(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, ["session", "name", "page", "since"])
        try RecordQuery.checkMaySeeSecrets(request)
        let found = try gateway.journal.read(query.filter, from: query.since)
        let recording = Recording(
            found.records, by: gateway.pageRuntime, of: query.filter.session?.name, answers: gateway.answers,
            isWhole: !found.hasLost)
        var response = Response.text(recording.text)
        response.headers[.contentDisposition] = "attachment; filename=drawbridge.json"
        return response
    }
}
