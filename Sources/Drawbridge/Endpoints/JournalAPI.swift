/// The journal over HTTP, for test programs and the inspector: lists calls, shows one, copies, repeats and verifies it.
enum JournalAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let journal = gateway.journal
        let query = try RecordQuery(request, RecordQuery.choice + ["since", "count", "seconds", "limit"])
        let (filter, since) = (query.filter, query.since)
        try journal.check(since, filter)
        let seconds = try query.seconds(upTo: 600)
        if let count = try query.number("count") ?? (query["seconds"] == nil ? nil : 1) {
            var watch = Journal.Watch(filter) { $0.number >= since ?? 0 && filter.fits($0) ? 0 : nil }
            let isThere = try await journal.wait(for: filter, until: .now + .seconds(seconds)) {
                watch.look(in: journal)
                return watch.found.count >= count || since.map { $0 > 0 && $0 <= watch.lastLost } == true
            }
            try Task.checkCancellation()
            // Records that came while it waited may have been dropped already.
            try journal.check(since, filter)
            // A timeout is a normal answer to the program, so it is not logged as a fault.
            guard isThere else {
                let others = journal.called(instead: filter, since: since)
                let wanted = "\(count) calls\(filter.name.map { " of \($0)" } ?? "")"
                let sentence = "\(watch.found.count) of \(wanted) have begun after \(seconds) s; \(others)"
                throw RepliedError(error: HTTPError(.gatewayTimeout, sentence))
            }
        }
        let found = try journal.read(filter, from: since, atMost: try query.number("limit") ?? 1000)
        let redaction = gateway.redaction(for: query)
        let frame = Response.success(["calls": [], "next": .number(.init(found.next))])
        return try await list(found.records, in: frame) { $0.json(redaction) }
    }

    /// A response with a list of records: it may have megabytes, so only one part of it is in memory at a time.
    private static func list(
        _ records: [JournalRecord], in frame: Response, _ json: @escaping @Sendable (JournalRecord) -> JSON
    ) async throws -> Response {
        let (most, bytes) = (256 << 10, frame.body.bytes ?? [])
        // The records replace the first `[]` of the frame.
        let begin = bytes.firstRange(of: "[]".utf8)?.lowerBound ?? 0
        let list = Response.Body.stream(length: nil) { client in
            var part = Array(bytes[...begin])
            for (place, record) in records.enumerated() {
                if place > 0 { part.append(UInt8(ascii: ",")) }
                part += json(record).bytes
                guard part.count > most else { continue }
                try await client.didLoad(part)
                part = []
            }
            try await client.didLoad(part + bytes[(begin + 1)...])
        }
        var response = frame
        let isLong = records.reduce(0) { $0 + $1.bytes } > most
        response.body = isLong ? list : .bytes(try await list.collect())
        return response
    }

    static func verify(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let journal = gateway.journal
        let query = try RecordQuery(request, ["session", "secrets"])
        let text = try await request.body.collect(upTo: 1 << 20)
        let check = try CallCheck(LocatedJSON(parsing: text), in: query.filter.session)
        let redaction = gateway.redaction(for: query)
        let verdict = try await check.verdict(in: journal, redaction)
        if verdict.isUncertain {
            throw HTTPError(
                .conflict,
                "the journal has lost calls that may match; DELETE \(OwnPath.calls.path) before a long test"
            )
        }
        guard verdict.isRight else {
            throw HTTPError(.expectationFailed, verdict.sentence, data: verdict.nearMiss)
        }
        return try await list(verdict.calls, in: .success(["calls": []])) { $0.json(redaction) }
    }

    static func forget(_ gateway: Gateway, _ request: Request) async throws -> Response {
        // No filter by name or page is taken: all calls of the session are forgotten.
        let query = try RecordQuery(request, ["session"])
        gateway.forget(query.filter.session)
        gateway.note(request, "forgets the calls", in: query.filter.session)
        return .success(.null)
    }

    static func saveMissing(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let text = try request.query(of: ["number"])["number"]
        let number = text.flatMap { Int(plain: $0) }
        _ = try gateway.keeper(for: request)
        guard text == nil || number != nil else {
            throw HTTPError(.badRequest, "number: the number of a record that names what pages lack")
        }
        let saved = try await gateway.saveMissing(by: request.teller, only: number)
        let count = saved.names.count + saved.given.count
        gateway.note(
            request,
            "has written \(count) missing \(count == 1 ? "name or setting" : "names and settings") into \(saved.file)"
        )
        var members: JSON.Object = [
            "file": .string(saved.file), "names": .array(saved.names.map(JSON.string)),
            "given": .array(saved.given.map { [$0.key: $0.value] }),
            "refused": .array(saved.refused.map(JSON.string)), "beyond": .number(.init(saved.beyond)),
        ]
        members["save"] = saved.save.map { JSON.number(.init($0)) }
        return .success(.object(members))
    }

    static func record(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let (record, redaction) = try named(by: request, in: gateway)
        return .success(record.json(redaction))
    }

    static func curl(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let (record, redaction) = try named(by: request, in: gateway)
        // A request of the inspector has the inspector's address, which is not the gateway's.
        let asked = "\(request.scheme)://\(request.authority ?? "localhost")"
        let base = request.isOfInspector ? gateway.program.ownAddress ?? asked : asked
        return .text(
            CallCopy.curl(try called(record), base: base, NativeMark(gateway.rules), redaction))
    }

    static func resend(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let (record, redaction) = try named(by: request, in: gateway)
        let edited = try await request.bodyAsJSON(["input"])?["input"]
        gateway.note(request, "makes call \(record.number) again", in: record.session)
        return try await gateway.repeats(
            try called(record, again: edited == nil), input: edited, redaction)
    }

    /// The record whose number is in the path, and the redaction of its secrets; that is nil if they are shown.
    ///
    /// - Throws: a 404 if there is no such record, a 410 if it was dropped.
    private static func named(
        by request: Request, in gateway: Gateway
    ) throws(HTTPError) -> (JournalRecord, Redaction?) {
        let journal = gateway.journal
        let redaction = gateway.redaction(for: try RecordQuery(request, ["session", "secrets"]))
        let text = request.parameters["number"] ?? ""
        guard text.utf8.allSatisfy(\.isDigit) else {
            throw HTTPError(
                .notFound,
                "nothing at \(request.path.cut(to: 100)); a call has a number, and GET \(OwnPath.calls.path) lists them"
            )
        }
        let number = Int(text) ?? .max
        if let record = journal.record(number) { return (record, redaction) }
        let (next, lastLost) = journal.ends(of: Set(JournalRecord.Kind.allCases))
        throw number >= 1 && number <= lastLost
            ? HTTPError(.gone, "call \(number) is gone; calls before \(lastLost + 1) were dropped")
            : HTTPError(.notFound, "there is no call \(number); the next one will be \(next)")
    }

    /// - Parameter again: whether the call is sent again with its recorded input, which must then be complete.
    private static func called(_ record: JournalRecord, again: Bool = true) throws(HTTPError) -> JournalRecord
    {
        guard record.kind == .call else {
            throw HTTPError(
                .conflict,
                "record \(record.number) is a \(record.kind.rawValue), not a call that can be repeated")
        }
        guard record.input.isWhole || !again else {
            throw HTTPError(
                .conflict,
                "the input of call \(record.number) is incomplete: the journal keeps the first \(JournalRecord.Value.mostBytes) bytes of a value, and nothing of a streamed body"
            )
        }
        return record
    }

    static func call(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, ["session", "secrets"])
        let call = try await request.bodyAsJSON(["name", "input"])
        guard let name = call?["name"]?.stringValue else {
            throw HTTPError(
                .badRequest, #"name: say what is called, such as {"name": "pay", "input": {"orderNo": 17}}"#)
        }
        gateway.note(request, "calls \(String(quoted: name)) of native", in: query.filter.session)
        return try await gateway.calls(
            name, call?["input"] ?? .null, in: query.filter.session ?? .usual, gateway.redaction(for: query))
    }
}

extension Response {
    static func text(_ text: String) -> Response {
        .guarded(Array(text.utf8), "text/plain; charset=utf-8")
    }
}

extension Request {
    /// The body as JSON, without the items of the query; nil if it is empty.
    ///
    /// - Parameter members: the names of members that it may have; nil for any.
    func bodyAsJSON(_ members: [String]? = nil, upTo limit: Int = 1 << 20) async throws -> JSON? {
        let bytes = try await body.collect(upTo: limit)
        guard !bytes.isEmpty else { return nil }
        if let members { try checkMembers(members) }
        do {
            return try JSON(parsing: bytes)
        } catch {
            throw HTTPError(.badRequest, "the body is not JSON: \(error)")
        }
    }
}

extension Journal {
    /// The records from a reader's position on, without a gap.
    ///
    /// - Throws: a 410 if the journal no longer has the record at that position.
    func read(
        _ filter: RecordFilter, from since: Int?, atMost limit: Int = .max
    ) throws(HTTPError) -> (records: [JournalRecord], next: Int, hasLost: Bool) {
        try check(since, filter)
        let found = read(filter, since: since, atMost: limit)
        // Records may have been dropped between the check and the reading.
        if found.hasLost { try check(since, filter) }
        return found
    }

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
                "since: the next record will be \(next); the gateway was restarted, so ask without since"
            )
        }
    }
}
