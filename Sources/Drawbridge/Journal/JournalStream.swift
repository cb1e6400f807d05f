/// The records as they come and change, as an event stream (WHATWG HTML, 9.2).
///
/// A record is sent again when it has changed. Nothing is buffered for a reader: a slow one gets the present state of
/// each record, and an event if some were dropped.
enum JournalStream {
    private static let batch = (records: 200, bytes: 1 << 20)
    /// The pause between two batches, so that a burst of changes is sent together.
    private static let pause = Duration.milliseconds(20)
    /// After this long without an event, a comment shows that the connection is alive.
    private static let breath = Duration.seconds(15)

    static func response(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let query = try RecordQuery(request, RecordQuery.choice)
        let epoch = "\(gateway.pages.epoch)."
        var place = 0
        if let last = request.headers.value(.lastEventID), !last.isEmpty {
            guard last.hasPrefix(epoch), let number = Int(plain: last.dropFirst(epoch.count)) else {
                throw HTTPError(
                    .gone,
                    "Last-Event-ID: it is from before the gateway was restarted; connect without it")
            }
            place = number
        }
        let hasTopics = request.isOfInspector
        let reader = try JournalReader(gateway.journal, watching: hasTopics ? gateway.questions : nil)
        let (filter, redaction, first) = (query.filter, gateway.redaction(for: query), place)
        var response = Response(contentType: "text/event-stream") { client in
            defer { withExtendedLifetime(reader) {} }
            try await write(gateway, filter, redaction, since: first, hasTopics: hasTopics, to: client)
        }
        response.addSafety()
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private static func event(_ name: String, _ value: JSON, id: String? = nil) -> [UInt8] {
        let id = id.map { "id: \($0)\n" } ?? ""
        return Array("event: \(name)\n\(id)data: ".utf8) + value.bytes + Array("\n\n".utf8)
    }

    /// Tells a reader which records were dropped before it saw them.
    private static func lost(_ changes: Journal.Changes, since view: Int) -> [UInt8] {
        var text: [UInt8] = []
        let before = max(changes.view > view ? changes.view : 0, changes.lostBefore ?? 0)
        if before > 0 { text += event("lost", ["before": .number(.init(before))]) }
        if let before = changes.lostRequestsBefore {
            text += event("lost", ["before": .number(.init(before)), "kind": "request"])
        }
        return text
    }

    private static func write(
        _ gateway: Gateway, _ filter: RecordFilter, _ redaction: Redaction?, since first: Int,
        hasTopics: Bool, to client: Client
    ) async throws {
        let (journal, epoch) = (gateway.journal, gateway.pages.epoch)
        var (place, told) = (first, -1)
        // A reader that starts from the beginning has missed nothing, and gets no `lost` event.
        var view: Int? = first == 0 ? nil : 1
        // Sent at once, so that the reader knows that the stream has begun.
        var text = Array(": \(epoch)\n\n".utf8)
        // The newest come first and then once more, so that a person sees them before megabytes of older ones are there.
        let newest = hasTopics && first == 0 ? journal.read(filter).records.suffix(batch.records) : []
        for record in newest.reversed() where text.count < batch.bytes {
            text += event("record", record.json(redaction))
        }
        try await client.didLoad(text)
        while true {
            let changes = journal.changes(since: place, filter, atMost: batch.records)
            if let known = view { try await client.didLoad(lost(changes, since: known)) }
            (view, place) = (changes.view, changes.next)
            text = []
            for record in changes.records {
                text += event("record", record.json(redaction), id: "\(epoch).\(record.change)")
                if text.count > batch.bytes {
                    try await client.didLoad(text)
                    text = []
                }
            }
            try await client.didLoad(text)
            if hasTopics {
                let (topics, now) = journal.touched(since: told)
                for topic in topics {
                    try await client.didLoad(event(topic.rawValue, await gateway.present(topic)))
                }
                told = now
            }
            if changes.hasMore { continue }
            let deadline = ContinuousClock.now + breath
            await journal.changed(since: place, filter, until: deadline, hearsTopics: hasTopics)
            try Task.checkCancellation()
            guard !journal.isStopping else { return }
            if ContinuousClock.now >= deadline { try await client.didLoad(":\n\n") }
            try await Task.sleep(for: pause)
        }
    }
}
