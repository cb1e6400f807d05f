/// What pages may call in one session: handlers and replies by their names, in the order in which they are asked.
struct Catalogue {
    struct Entry {
        let pattern: RoutePattern
        /// The pattern of the pages that have it; nil for all pages.
        let pages: String?
        /// The replies, in the order in which they are asked.
        var replies: [ReplyNames.Listed]
        /// The handlers that are asked after them, by their methods.
        var routes: [Route]

        var name: String { String(pattern.text.dropFirst()) }

        /// The first reply that is no `$pass`; nil where the handler answers.
        var reply: ReplyNames.Listed? { replies.first { !$0.reply.isPass } }
    }

    private struct Key: Hashable {
        let text: JSON.Bytewise
        let pages: String?
    }

    /// Sorted by their names.
    private(set) var entries: [Entry]
    private let routes: Routes<Named>

    /// A pattern of the catalogue, to which calls are assigned.
    private struct Named: Routed {
        let pattern: RoutePattern
    }

    /// - Parameters:
    ///   - layers: the layers of replies, the first of which is asked first.
    ///   - handlers: those of some pages, the last registered first, and at last those of all.
    init(
        layers: [(names: ReplyNames, pages: String?)], handlers: [(routes: [Route], pages: String?)]
    ) {
        var patterns: [Key: RoutePattern] = [:]
        let named =
            layers.flatMap { layer in layer.names.listed.map { ($0.pattern, layer.pages) } }
            + handlers.flatMap { set in set.routes.map { ($0.pattern, set.pages) } }
        for (pattern, pages) in named { patterns[Key(text: .init(pattern.text), pages: pages)] = pattern }
        entries = patterns.map { key, pattern in
            let mine = layers.filter { $0.pages == nil || $0.pages == key.pages }
            let own = handlers.filter { $0.pages == nil || $0.pages == key.pages }
            return Entry(
                pattern: pattern, pages: key.pages,
                replies: mine.compactMap { Self.reply(in: $0.names, for: pattern) },
                routes: own.lazy.map { Self.routes(in: $0.routes, for: pattern) }.first { !$0.isEmpty } ?? [])
        }
        entries.sort { ($0.name, $0.pages ?? "") < ($1.name, $1.pages ?? "") }
        var routes = Routes<Named>()
        for entry in entries { _ = routes.insert(Named(pattern: entry.pattern)) }
        self.routes = routes
    }

    /// The reply for a pattern: the one with this pattern, or for a single name, the one that fits it best.
    private static func reply(in names: ReplyNames, for pattern: RoutePattern) -> ReplyNames.Listed? {
        guard let segments = segments(of: pattern) else {
            return names.listed.first { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(pattern.text) }
        }
        return names.listed(for: segments)
    }

    private static func routes(in routes: [Route], for pattern: RoutePattern) -> [Route] {
        let same = routes.filter { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(pattern.text) }
        guard same.isEmpty, let segments = segments(of: pattern) else {
            return same.sorted { $0.name < $1.name }
        }
        var all = Routes<Route>()
        for route in routes { _ = all.insert(route) }
        return all.matches(segments).first.map { [$0.route] } ?? []
    }

    /// The parts of the one name that a pattern stands for; nil where it stands for several.
    private static func segments(of pattern: RoutePattern) -> [String]? {
        var segments: [String] = []
        for part in pattern.parts {
            guard case .exact(let text) = part else { return nil }
            segments.append(text)
        }
        return segments
    }

    func pattern(for segments: [String]) -> String? { routes.matches(segments).first?.route.pattern.text }

    /// The entries with exactly this name, or else those whose pattern fits it best.
    func entries(named name: String) -> [Entry] {
        guard let text = RoutePattern(checking: name)?.text else { return [] }
        let same = entries.filter { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(text) }
        guard same.isEmpty, let best = pattern(for: Target.segments(of: text) ?? []) else { return same }
        return entries.filter { $0.pattern.text == best }
    }
}

/// The calls in a journal, by the pattern of a catalogue that fits them best.
struct SeenCalls {
    /// The calls of each pattern, the oldest first.
    private(set) var calls: [String: [JournalRecord]] = [:]

    init(_ records: [JournalRecord], of catalogue: Catalogue) {
        var patterns: [String: String?] = [:]
        for record in records where record.kind == .call {
            let path = record.path
            let pattern =
                patterns[path] ?? Target.segments(of: path).flatMap { catalogue.pattern(for: $0) }
            if patterns.count < 10_000 { patterns[path] = .some(pattern) }
            if let pattern { calls[pattern, default: []].append(record) }
        }
    }

    subscript(entry: Catalogue.Entry) -> [JournalRecord] { calls[entry.pattern.text] ?? [] }
}

extension JournalRecord {
    var path: String { String(head.target.prefix { $0 != "?" }) }
}

extension Catalogue.Entry {
    /// The entry as the tester's API lists it.
    ///
    /// - Parameter calls: its calls in the journal, the oldest first; nil without a journal.
    func json(_ calls: [JournalRecord]?, _ redaction: Redaction?) -> JSON {
        var members: JSON.Object = ["name": .string(name)]
        if let pages { members["pages"] = .string(pages) }
        members["by"] = reply == nil ? "handler" : "reply"
        for (name, value) in reply?.json.objectValue ?? [:] { members[name] = value }
        if !routes.isEmpty { members["handler"] = .string(routes.map(\.name).joined(separator: ", ")) }
        let methods = routes.compactMap { $0.handler.methods }
        // A handler that names no methods takes nearly all.
        if !methods.isEmpty, methods.count == routes.count {
            members["methods"] = .array(methods.joined().map { .string($0.rawValue) })
        }
        guard let calls else { return .object(members) }
        members["calls"] = .number(.init(calls.count))
        if let last = calls.last { members["input"] = last.shownInput(redaction) }
        if let last = calls.last(where: { $0.state == .answered }) {
            members["output"] = last.shownOutput(redaction)
            if !last.output.isWhole { members["outputIsCut"] = true }
        }
        return .object(members)
    }
}

extension ReplyNames.Listed {
    /// Which reply it is, where that stands, and how it is written.
    var json: JSON {
        var members: JSON.Object = ["reply": .string(title)]
        if let place {
            members["file"] = .string(place.file)
            members["line"] = .number(.init(place.line))
        } else {
            members["source"] = .string(source)
        }
        members["text"] = .string(text)
        return .object(members)
    }
}
