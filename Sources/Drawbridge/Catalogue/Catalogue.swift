/// What pages may call in one session: handlers and replies by their names, with the calls so far.
struct Catalogue {
    struct Entry: Routed {
        let pattern: RoutePattern
        /// The path pattern of the pages that may call this name; nil for all pages.
        let pages: String?
        let replies: [ReplyNames.Listed]
        /// The handlers that are asked after the replies; several if they take different HTTP methods.
        let routes: [Route]
        /// The journal's calls of this name, the oldest first; nil without a journal.
        var calls: [JournalRecord]?

        var name: String { String(pattern.text.dropFirst()) }

        /// The first reply that is not `$pass`; nil if a handler answers.
        var reply: ReplyNames.Listed? { replies.first { !$0.reply.isPass } }
    }

    private struct Key: Hashable {
        let text: JSON.Bytewise
        let pages: String?
    }

    private(set) var entries: [Entry]
    private let routes: Routes<Entry>

    /// - Parameters:
    ///   - layers: the layers of replies, in the order in which they are asked.
    ///   - handlers: the sets for some pages, the last registered first; then the set for all pages.
    ///   - calls: the calls in the journal, the oldest first; nil without a journal.
    init(
        layers: [(names: ReplyNames, pages: String?)], handlers: [(set: HandlerSet, pages: String?)],
        calls: [JournalRecord]?
    ) {
        var patterns: [Key: RoutePattern] = [:]
        let named =
            layers.flatMap { names, pages in names.listed.map { ($0.pattern, pages) } }
            + handlers.flatMap { set, pages in set.all.map { ($0.pattern, pages) } }
        for (pattern, pages) in named { patterns[Key(text: .init(pattern.text), pages: pages)] = pattern }
        entries = patterns.map { key, pattern in
            let mine = layers.filter { $0.pages == nil || $0.pages == key.pages }
            let own = handlers.filter { $0.pages == nil || $0.pages == key.pages }
            return Entry(
                pattern: pattern, pages: key.pages,
                replies: mine.compactMap { Self.reply(in: $0.names, for: pattern) },
                routes: own.lazy.map { Self.routes(in: $0.set, for: pattern) }.first { !$0.isEmpty } ?? [])
        }
        entries.sort { ($0.name, $0.pages ?? "") < ($1.name, $1.pages ?? "") }
        var routes = Routes<Entry>()
        for entry in entries { _ = routes.insert(entry) }
        self.routes = routes
        guard let groups = calls.map(grouped) else { return }
        for place in entries.indices { entries[place].calls = groups[entries[place].pattern.text] ?? [] }
    }

    /// The reply for a pattern: the one with this pattern, or for a single name, the one that fits it best.
    private static func reply(in names: ReplyNames, for pattern: RoutePattern) -> ReplyNames.Listed? {
        if let segments = segments(of: pattern) { return names.listed(for: segments) }
        return names.listed.first { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(pattern.text) }
    }

    /// The handlers for a pattern, found as ``reply(in:for:)`` finds a reply; sorted by their names.
    private static func routes(in set: HandlerSet, for pattern: RoutePattern) -> [Route] {
        let best = segments(of: pattern).map { set.matches($0).first?.route.pattern.text } ?? pattern.text
        guard let best else { return [] }
        return set.all.filter { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(best) }
            .sorted { $0.name < $1.name }
    }

    /// The parts of the path, if the pattern is a single path; nil if it has parameters or a wildcard.
    private static func segments(of pattern: RoutePattern) -> [String]? {
        guard pattern.isOnePath else { return nil }
        return pattern.parts.compactMap { if case .exact(let text) = $0 { text } else { nil } }
    }

    private func pattern(for segments: [String]) -> String? {
        routes.matches(segments).first?.route.pattern.text
    }

    /// The entries with exactly this name, or else those whose pattern fits it best.
    func entries(named name: String) -> [Entry] {
        guard let text = RoutePattern(checking: name)?.text else { return [] }
        let same = entries.filter { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(text) }
        guard same.isEmpty, let best = pattern(for: Target.segments(of: text) ?? []) else { return same }
        return entries.filter { $0.pattern.text == best }
    }

    /// Groups calls by the pattern that fits them best, and keeps their order.
    private func grouped(_ calls: [JournalRecord]) -> [String: [JournalRecord]] {
        var groups: [String: [JournalRecord]] = [:]
        var patterns: [String: String?] = [:]
        for call in calls {
            let path = call.path
            let known = patterns[path] ?? Target.segments(of: path).flatMap(pattern(for:))
            patterns[path] = .some(known)
            if let known { groups[known, default: []].append(call) }
        }
        return groups
    }
}

extension JournalRecord {
    var path: String { String(head.target.prefix { $0 != "?" }) }
}

extension Catalogue.Entry {
    /// The entry as the tester's API lists it.
    func json(_ redaction: Redaction?) -> JSON {
        var members: JSON.Object = ["name": .string(name)]
        if let pages { members["pages"] = .string(pages) }
        members["by"] = reply == nil ? "handler" : "reply"
        for (name, value) in reply?.json.objectValue ?? [:] { members[name] = value }
        if !routes.isEmpty { members["handler"] = .string(routes.map(\.name).joined(separator: ", ")) }
        let methods = routes.compactMap { $0.options.methods }
        // A handler that declares no methods takes nearly all, so no list is shown.
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
