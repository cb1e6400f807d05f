/// An endpoint of the gateway's own below `/__drawbridge__/`: a path with its methods, one row of the table.
///
/// Who may ask depends on the path's first part: ``OwnPath/isForTesters``, ``OwnPath/isForEverybody``.
struct Endpoint: Sendable {
    typealias Answer = @Sendable (Gateway, Request) async throws -> Response

    let path: OwnPath
    /// The rest of the path: words, `:name` for one part, `*name` for all further parts; their values become
    /// ``Request/parameters``, percent-decoded.
    let below: [Substring]
    let answers: KeyValuePairs<HTTPRequest.Method, Answer>

    private init(_ path: OwnPath, _ answers: KeyValuePairs<HTTPRequest.Method, Answer>) {
        self.init(path, "", answers)
    }

    private init(_ path: OwnPath, _ below: String, _ answers: KeyValuePairs<HTTPRequest.Method, Answer>) {
        self.path = path
        self.below = below.split(separator: "/")
        self.answers = answers
    }

    /// All endpoints; of two rows that fit, the first wins.
    static let table: [Endpoint] = [
        // For everybody, admitted or not.
        Endpoint(.enter, [.get: Enter.page, .head: Enter.page, .post: Enter.enter]),
        Endpoint(.health, [.get: About.health, .head: About.health]),

        // For everybody who may load a page.
        Endpoint(.schema, [.get: About.schema, .head: About.schema]),
        Endpoint(.description, [.get: About.description, .head: About.description]),
        Endpoint(.manual, [.get: About.manual, .head: About.manual]),
        Endpoint(.session, ":session", [.get: SessionCookie.give]),
        Endpoint(.script, [.get: ForPages.script, .head: ForPages.script]),
        Endpoint(.global, [.get: ForPages.global]),
        Endpoint(.ask, [.get: ForPages.ask]),
        Endpoint(.bridge, ":script", [.get: ForPages.bridge, .head: ForPages.bridge]),

        // For the gateway's own pages, which send their id or the page token.
        Endpoint(.token, [.get: ForPages.token]),
        Endpoint(.call, [.post: ForPages.call]),
        Endpoint(.messages, [.post: ForPages.messages]),

        // The tester's API: only for programs with the tester's token.
        Endpoint(.calls, [.get: JournalAPI.list, .post: JournalAPI.call, .delete: JournalAPI.forget]),
        Endpoint(.calls, "verify", [.post: JournalAPI.verify]),
        Endpoint(.calls, "missing", [.post: JournalAPI.saveMissing]),
        Endpoint(.calls, "events", [.get: JournalStream.response]),
        Endpoint(.calls, ":number", [.get: JournalAPI.record]),
        Endpoint(.calls, ":number/curl", [.get: JournalAPI.curl]),
        Endpoint(.calls, ":number/resend", [.post: JournalAPI.resend]),
        Endpoint(.handlers, [.get: CatalogueAPI.handlers]),
        Endpoint(.record, [.get: CatalogueAPI.recording]),
        Endpoint(.replies, [.get: RepliesAPI.list, .put: RepliesAPI.set, .delete: RepliesAPI.takeBack]),
        Endpoint(.replies, "save", [.get: RepliesAPI.standing, .post: RepliesAPI.save]),
        Endpoint(.replies, "undo", [.get: RepliesAPI.saves, .post: RepliesAPI.undo]),
        Endpoint(.scenario, [.get: RepliesAPI.scenarios, .put: RepliesAPI.turn]),
        Endpoint(.events, [.get: RepliesAPI.events]),
        Endpoint(.events, "*event", [.post: RepliesAPI.play]),
        Endpoint(.reset, [.post: RepliesAPI.reset]),
        Endpoint(.questions, [.get: QuestionsAPI.list, .put: QuestionsAPI.ask]),
        Endpoint(.questions, "*question", [.post: QuestionsAPI.answer]),
        Endpoint(.pages, [.get: PagesAPI.list]),
        Endpoint(.pages, ":page", [.get: PagesAPI.page]),
        Endpoint(.pages, ":page/call", [.post: PagesAPI.call]),
        Endpoint(.pages, ":page/send", [.post: PagesAPI.send]),
        Endpoint(.pages, ":page/evaluate", [.post: PagesAPI.evaluate]),
        Endpoint(.pages, ":page/emit", [.post: PagesAPI.emit]),
        Endpoint(.admissions, [.get: AdmissionsAPI.list, .post: AdmissionsAPI.draw]),
        Endpoint(.admissions, ":device", [.delete: AdmissionsAPI.revoke]),
    ]

    /// The values of the row's `:name` and `*name` in a path; nil if the path does not fit the row.
    private func values(in parts: [Substring]) -> [String: String]? {
        var values: [String: String] = [:]
        for (place, word) in below.enumerated() {
            guard place < parts.count else { return nil }
            switch word.first {
            case ":": values[String(word.dropFirst())] = String(parts[place])
            case "*":
                values[String(word.dropFirst())] = parts[place...].joined(separator: "/")
                return values
            default: guard word == parts[place] else { return nil }
            }
        }
        return parts.count == below.count ? values : nil
    }

    /// Answers a request below `/__drawbridge__/`.
    ///
    /// - Throws: a 403 if the caller is not allowed, a 404 for an unknown path, a 405 for another method.
    static func respond(to request: Request, by gateway: Gateway) async throws -> Response {
        guard let path = OwnPath(of: request) else { throw nothing(at: request) }
        if path.isOfPages, gateway.pageRuntime == nil { throw nothing(at: request) }
        if path.isForTesters { try gateway.authorizeTester(request) }
        let parts = request.path.dropFirst(path.path.count).split(separator: "/")
        guard let (row, values) = find(path, parts) else { throw nothing(at: request, below: path) }
        guard let answer = row.answers.first(where: { $0.key == request.method })?.value else {
            throw HTTPError(
                .methodNotAllowed,
                "\(request.path.cut(to: 100)) takes \(row.verbs), and not \(request.method)",
                headers: [.allow: row.verbs])
        }
        guard gateway.journal.isOn || path != .calls && path != .record else {
            throw HTTPError(.notFound, "this gateway keeps no journal; make it with keepsJournal: true")
        }
        var asked = request
        asked.parameters = values.mapValues { Percent.decode($0[...].utf8) ?? $0 }
        guard path.isForTesters else { return try await answer(gateway, asked) }
        // Off the loop: a program may ask for a full journal, for which the pages on the loop must not wait.
        var response: Response
        do {
            response = try await Apart.perform { [asked] in
                try await Self.shared(path, asked, by: gateway) { try await answer(gateway, asked) }
            }
        } catch let error where error is ReplyFault || error is AnswerError {
            throw HTTPError(.badRequest, "\(error)")
        }
        if case .stream(let length, let write) = response.body.content {
            response.body = .stream(length: length) { client in
                try await Apart.perform { try await write(client) }
            }
        }
        return response
    }

    /// Answers a request of the tester's API, by the store of its session if gateways share it.
    private static func shared(
        _ path: OwnPath, _ request: Request, by gateway: Gateway, _ answer: () async throws -> Response
    ) async throws -> Response {
        guard path != .admissions, let store = gateway.shared.now,
            let session = try? request.askedSession(), session != .usual
        else {
            return try await answer()
        }
        let isChange =
            path == .calls
            ? request.method == .delete
            : request.method != .get && [.replies, .scenario, .reset].contains(path)
        return try await store.answer(in: session, isChange: isChange, answer)
    }

    /// The first row that fits, with the values of its names; nil for none.
    static func find(_ path: OwnPath, _ parts: [Substring]) -> (row: Endpoint, values: [String: String])? {
        table.lazy.filter { $0.path == path }.compactMap { row in row.values(in: parts).map { (row, $0) } }
            .first
    }

    private var verbs: String { answers.map(\.key.rawValue).joined(separator: ", ") }

    /// The endpoint as errors list it: `POST /__drawbridge__/calls/NUMBER/resend`.
    var line: String {
        let names = below.map { word in
            word.first == ":" || word.first == "*" ? word.dropFirst().uppercased() : String(word)
        }
        return "\(verbs) \(([path.path] + names).joined(separator: "/"))"
    }

    private static func nothing(at request: Request, below path: OwnPath? = nil) -> HTTPError {
        let rows = table.filter { $0.path == path }.map(\.line)
        let all = rows.isEmpty ? everything : rows.joined(separator: "; ")
        return HTTPError(.notFound, "nothing at \(request.path.cut(to: 100)); there are \(all)")
    }

    private static let everything: String = {
        func names(_ isListed: (OwnPath) -> Bool) -> String {
            OwnPath.allCases.filter(isListed).map(\.rawValue).sorted().joined(separator: ", ")
        }
        let open: [OwnPath] = [.health, .manual, .schema, .description]
        return """
            \(open.map(\.path).joined(separator: ", ")) and \(OwnPath.session.path)/NAME, and with the tester's token \
            \(names(\.isForTesters))
            """
    }()
}
