import HTTPTypes
import Synchronization

// What programs ask about all that pages may call.
extension Gateway {
    func catalogue(in session: Session) -> Catalogue {
        let special = specialHandlers.withLock { $0 }.reversed()
        return Catalogue(
            layers: replyBook.layers(in: session),
            handlers: special.map { ($0.set.all, $0.pattern.text) } + [(handlers.all, nil)])
    }

    /// The catalogue with its calls in the journal; nil where no journal is kept.
    fileprivate func seenCatalogue(_ query: RecordQuery) -> (catalogue: Catalogue, seen: SeenCalls?) {
        let catalogue = catalogue(in: query.filter.session ?? .usual)
        let records = journal.read(RecordFilter(session: query.filter.session)).records
        return (catalogue, journal.isOn ? SeenCalls(records, of: catalogue) : nil)
    }
}

/// What pages may call, for programs: as a list and as TypeScript; and what was answered, as a file of replies.
enum CatalogueAPI {
    static func handlers(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, words: [], usual: ["session", "name", "secrets"])
        let (catalogue, seen) = gateway.seenCatalogue(query)
        let redaction = gateway.redaction(for: query)
        let entries = try entries(of: catalogue, named: query["name"])
        return .success(.array(entries.map { $0.json(seen?[$0], redaction) }))
    }

    static func types(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let (catalogue, seen) = gateway.seenCatalogue(try RecordQuery(request, words: [], usual: ["session"]))
        return .text(NativeTypes(catalogue, seen).typeScript)
    }

    private static func entries(
        of catalogue: Catalogue, named name: String?
    ) throws(HTTPError) -> [Catalogue.Entry] {
        guard let name else { return catalogue.entries }
        let entries = catalogue.entries(named: name)
        guard entries.isEmpty else { return entries }
        let hint = Nearest.hint(
            for: CallName.plain(name), among: catalogue.entries.map(\.name),
            otherwise: "GET \(OwnPath.handlers.path) lists all names")
        throw HTTPError(.notFound, "nobody answers \(name.cut(to: 100)); \(hint)")
    }

    /// The answered calls as a file of replies.
    static func recording(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, words: [], usual: ["session", "name", "page", "since"])
        try RecordQuery.checkMaySeeSecrets(request)
        let found = try gateway.keptJournal.read(query.filter, from: query.since)
        let recording = Recording(
            found.records, of: query.filter.session?.name, answers: gateway.answers, isWhole: !found.hasLost)
        var response = Response.text(recording.text)
        response.headers[.contentDisposition] = "attachment; filename=drawbridge.json"
        return response
    }
}
