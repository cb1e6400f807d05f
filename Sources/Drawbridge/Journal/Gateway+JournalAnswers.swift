import HTTPTypes
import Synchronization

// What programs and the inspector ask of the journal, and how it is answered.
extension Gateway {
    func list(_ request: Request) async throws -> Response {
        let query = try RecordQuery(request, words: ["count", "seconds", "limit"])
        let (filter, since) = (query.filter, query.since)
        try journal.check(since, filter)
        let seconds = try query.seconds(upTo: 600)
        if let count = try query.number("count") ?? (query["seconds"] == nil ? nil : 1) {
            let isThere = try await journal.wait(for: filter, until: .now + .seconds(seconds)) {
                let found = journal.read(filter, since: since)
                return found.records.count >= count || (found.hasLost && (since ?? 0) > 0)
            }
            try Task.checkCancellation()
            // What came while it waited may have gone again.
            try journal.check(since, filter)
            // A call that does not come is an answer to the program, and no fault of the gateway's for its log.
            guard isThere else {
                throw RepliedError(error: Self.missing(filter, count, since, seconds, in: journal))
            }
        }
        let found = try journal.read(filter, from: since, atMost: try query.number("limit") ?? 1000)
        let redaction = redaction(for: query)
        return .success([
            "calls": .array(found.records.map { $0.json(redaction) }), "next": .number(.init(found.next)),
        ])
    }

    private static func missing(
        _ filter: RecordFilter, _ count: Int, _ since: Int?, _ seconds: Double, in journal: Journal
    ) -> HTTPError {
        let others = journal.called(instead: filter, since: since)
        let subject = filter.name.map { " of \($0)" } ?? ""
        return HTTPError(
            .gatewayTimeout,
            "\(journal.count(filter, since: since)) of \(count) calls\(subject) have begun after \(seconds) s; \(others)"
        )
    }

    // MARK: Verify

    func verify(_ request: Request) async throws -> Response {
        let query = try RecordQuery(request, words: [], usual: ["session", "secrets"])
        let text = try await request.body.collect(upTo: 1 << 20)
        let check: CallCheck
        do {
            check = try CallCheck(LocatedJSON(parsing: text), in: query.filter.session)
        } catch {
            throw HTTPError(.badRequest, "\(error)")
        }
        let redaction = redaction(for: query)
        // Too many calls now are too many later.
        _ = try await journal.wait(for: check.concerned, until: .now + .seconds(check.seconds)) {
            let found = check.verdict(in: journal, redaction)
            return found.isRight || found.isFinal || found.hasLost
        }
        let verdict = check.verdict(in: journal, redaction)
        if verdict.hasLost {
            throw HTTPError(
                .conflict,
                "the journal has lost calls that might count; DELETE \(OwnPath.calls.path) before a long test"
            )
        }
        guard verdict.isRight else {
            throw HTTPError(.expectationFailed, verdict.sentence, data: verdict.nearMiss)
        }
        return .success(["calls": .array(verdict.calls.map { $0.json(redaction) })])
    }

    // MARK: One call

    func below(
        _ number: Int, _ verb: String, _ request: Request
    ) async throws -> Response {
        guard let record = journal.record(number) else {
            let (next, lastLost) = journal.ends(of: Set(JournalRecord.Kind.allCases))
            throw number >= 1 && number <= lastLost
                ? HTTPError(.gone, "call \(number) is gone; those before \(lastLost + 1) were given up")
                : HTTPError(.notFound, "there is no call \(number); the next one will be \(next)")
        }
        switch verb {
        case "":
            try request.allow([.get])
            let query = try RecordQuery(request, words: [], usual: ["session", "secrets"])
            return .success(record.json(redaction(for: query)))
        case "curl", "test":
            try request.allow([.get])
            let query = try RecordQuery(
                request, words: verb == "test" ? ["for"] : [], usual: ["session", "secrets"])
            let copy = CallCopy(try called(record), copying(for: request, redaction(for: query)))
            guard verb == "test" else { return .text(copy.curl) }
            guard let language = CallCopy.Language(rawValue: query["for"] ?? "") else {
                let all = CallCopy.Language.allCases.map(\.rawValue).joined(separator: ", ")
                throw HTTPError(.badRequest, "for: it is one of \(all)")
            }
            return .text(try copy.test(language))
        case "resend":
            try request.allow([.post])
            let query = try RecordQuery(request, words: [], usual: ["session", "secrets"])
            let edited = try await request.bodyAsJSON()?["input"]
            try request.checkMembers(["input"])
            noteTester("makes call \(number) again", in: record.session)
            return try await repeats(
                try called(record, again: edited == nil), input: edited, redaction(for: query))
        default:
            throw HTTPError(
                .notFound, "nothing at \(request.path.cut(to: 100)); there are \(JournalEndpoints.all)")
        }
    }

    /// - Parameter again: whether what it sent is needed.
    private func called(_ record: JournalRecord, again: Bool = true) throws(HTTPError) -> JournalRecord {
        guard record.kind == .call else {
            throw HTTPError(
                .conflict,
                "record \(record.number) is a \(record.kind.rawValue), and no call that can be repeated")
        }
        guard record.input.isWhole || !again else {
            throw HTTPError(
                .conflict,
                "what call \(record.number) sent is not all kept: of each value the first \(JournalRecord.Value.mostBytes) bytes are, and nothing of what a handler reads as it comes"
            )
        }
        return record
    }

    // MARK: Call by itself

    func call(_ request: Request) async throws -> Response {
        let query = try RecordQuery(request, words: [], usual: ["session", "secrets"])
        let call = try await request.bodyAsJSON()
        try request.checkMembers(["name", "input", "session"])
        guard let name = call?["name"]?.stringValue else {
            throw HTTPError(
                .badRequest, #"name: say what is called, such as {"name": "pay", "input": {"orderNo": 17}}"#)
        }
        noteTester("calls \(String(quoted: name)) of native", in: query.filter.session)
        var session = query.filter.session ?? .usual
        if let said = call?["session"] {
            guard let named = said.stringValue.flatMap(Session.init) else {
                throw HTTPError(.badRequest, "session: \("\(said)".cut(to: 80)) is no name of a session")
            }
            session = named
        }
        return try await calls(name, call?["input"] ?? .null, in: session, redaction(for: query))
    }

    // MARK: For other tools

    func archive(_ request: Request) throws -> Response {
        let query = try RecordQuery(request, words: [])
        var filter = query.filter
        filter.kinds.formIntersection([.call, .request])
        guard !filter.kinds.isEmpty else {
            throw HTTPError(
                .badRequest, "kind: an archive has what was asked by requests: call, request, or all")
        }
        let found = try journal.read(filter, from: query.since)
        let archive = HTTPArchive(found.records, copying(for: request, redaction(for: query)))
        var response = Response(bytes: archive.json.bytes, contentType: "application/json")
        response.addSafety()
        return response
    }
}

extension Response {
    /// A text of the tester's API.
    static func text(_ text: String, as type: String = "text/plain; charset=utf-8") -> Response {
        var response = Response(bytes: Array(text.utf8), contentType: type)
        response.addSafety()
        return response
    }
}

extension Request {
    /// Says which methods its path takes.
    func allow(_ methods: [HTTPRequest.Method]) throws(HTTPError) {
        guard !methods.contains(method) else { return }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        throw HTTPError(
            .methodNotAllowed, "\(path) takes \(names), and not \(method)",
            headers: [.allow: names])
    }

    /// The body alone, without what the query says; nil where there is none.
    fileprivate func bodyAsJSON() async throws -> JSON? {
        let bytes = try await body.collect(upTo: 1 << 20)
        guard !bytes.isEmpty else { return nil }
        do {
            return try JSON(parsing: bytes)
        } catch {
            throw HTTPError(.badRequest, "the body is no JSON: \(error)")
        }
    }
}

extension Journal {
    /// The records from a reader's place on, of which none is missing.
    ///
    /// - Throws: a 410 where the place is not one of this journal's any more.
    func read(
        _ filter: RecordFilter, from since: Int?, atMost limit: Int = .max
    ) throws(HTTPError) -> Reading {
        try check(since, filter)
        let found = read(filter, since: since, atMost: limit)
        // Some may have gone just now.
        if found.hasLost { try check(since, filter) }
        return found
    }

    /// Says that a reader's place is not one of this journal's any more.
    func check(_ since: Int?, _ filter: RecordFilter) throws(HTTPError) {
        guard let since else { return }
        let (next, lastLost) = ends(of: filter.kinds, in: filter.session)
        if since > 0, since <= lastLost {
            throw HTTPError(
                .gone,
                "since: records before \(lastLost + 1) are gone; read on from there, and sooner next time")
        }
        if since > next {
            throw HTTPError(
                .gone,
                "since: the next record will be \(next); the gateway was started again, so begin without since"
            )
        }
    }
}
