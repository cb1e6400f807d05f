/// The query of a request for records; an unknown item is refused, since a misspelt filter would select all records.
struct RecordQuery {
    let filter: RecordFilter
    /// The number of the first record that the caller wants; nil for all.
    let since: Int?
    let showsSecrets: Bool
    private let values: [String: String]

    /// The query items that select records, and the one that shows their secrets.
    static let choice = ["session", "name", "page", "kind", "by", "state", "secrets"]

    /// - Parameter words: the names of the query items that the endpoint takes.
    init(_ request: Request, _ words: [String]) throws(HTTPError) {
        let values = try request.query(of: words)
        self.values = values
        let isOfAll = values["session"] == "*"
        var filter = RecordFilter(session: isOfAll ? nil : try request.askedSession())
        filter.name = values["name"].map(CallName.plain)
        filter.page = values["page"]
        if let by = values["by"] {
            filter.by = try Self.known(by, "by", JournalRecord.Answerer.Word.self).rawValue
        }
        if let text = values["kind"] { filter.kinds = try Self.kinds(text) }
        if let text = values["state"] {
            filter.state = try Self.known(text, "state", JournalRecord.State.self)
        }
        self.filter = filter
        since = try Self.number(values["since"], "since")
        let secrets = values["secrets"] ?? "0"
        guard ["0", "1"].contains(secrets) else {
            throw HTTPError(.badRequest, "secrets: must be 1 or 0, and not \(secrets.cut(to: 40))")
        }
        showsSecrets = secrets == "1"
        if showsSecrets { try Self.checkMaySeeSecrets(request) }
    }

    /// Refuses to show secrets to another machine: a person there may have the token, but no other access to this
    /// machine.
    static func checkMaySeeSecrets(_ request: Request) throws(HTTPError) {
        guard request.isOfInspector || request.isFromThisMachine else {
            throw HTTPError(.forbidden, "secrets are shown only to programs on the gateway's own machine")
        }
    }

    subscript(name: String) -> String? { values[name] }

    func number(_ name: String) throws(HTTPError) -> Int? { try Self.number(values[name], name) }

    private static func number(_ text: String?, _ name: String) throws(HTTPError) -> Int? {
        guard let text else { return nil }
        if let number = Int(plain: text) { return number }
        throw HTTPError(.badRequest, "\(name): must be a whole number, and not \(text.cut(to: 40))")
    }

    func seconds(upTo longest: Double) throws(HTTPError) -> Double {
        guard let text = values["seconds"] else { return 0 }
        if let seconds = Double(plain: text), (0...longest).contains(seconds) { return seconds }
        throw HTTPError(
            .badRequest, "seconds: must be a number up to \(Int(longest)), and not \(text.cut(to: 40))")
    }

    /// Reads kinds of records with commas between them, or `all`.
    static func kinds(_ text: String) throws(HTTPError) -> Set<JournalRecord.Kind> {
        if text == "all" { return Set(JournalRecord.Kind.allCases) }
        var kinds: Set<JournalRecord.Kind> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            kinds.insert(try known(String(word), "kind", JournalRecord.Kind.self))
        }
        return kinds
    }

    static func known<T: RawRepresentable & CaseIterable>(
        _ text: String, _ name: String, _ type: T.Type
    ) throws(HTTPError) -> T where T.RawValue == String {
        if let value = T(rawValue: text) { return value }
        let all = T.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPError(.badRequest, "\(name): must be one of \(all), and not \(text.cut(to: 40))")
    }
}

extension Request {
    /// The items of its query by their names; throws for an unknown name, since a misspelt one would be ignored.
    func query(of words: [String]) throws(HTTPError) -> [String: String] {
        var values: [String: String] = [:]
        for item in query {
            guard words.contains(item.name) else {
                let near = Nearest.of(item.name, among: words).map { "did you mean \($0)?" }
                let all = words.isEmpty ? "there are none here" : "there are \(words.joined(separator: ", "))"
                throw HTTPError(.badRequest, "\(item.name.cut(to: 40)): no such word; \(near ?? all)")
            }
            values[item.name] = item.value
        }
        return values
    }

    /// Throws if its JSON body has a member with another name, since a misspelt one would be ignored.
    func checkMembers(_ words: [String]) throws(HTTPError) {
        guard let bytes = body.bytes, let value = try? JSON(parsing: bytes) else { return }
        guard let members = value.objectValue else {
            throw HTTPError(
                .badRequest, "the body is not an object; send one with \(words.joined(separator: ", "))")
        }
        for (name, _) in members where !words.contains(name) {
            throw HTTPError(
                .badRequest, "\(name.cut(to: 40)): no such member; \(Nearest.hint(for: name, among: words))")
        }
    }
}
