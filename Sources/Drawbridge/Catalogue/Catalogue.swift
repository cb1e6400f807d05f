/// What pages may call in one session: handlers and replies by their names, each as it is answered first.
struct Catalogue {
    struct Entry {
        let pattern: RoutePattern
        /// The pages that have it alone; nil for all.
        let pages: String?
        /// Those that are asked one after the other.
        var replies: [ReplyNames.Listed]
        /// The handlers that are asked behind them, by their methods.
        var routes: [Route]

        /// As the journal has it.
        var name: String { String(pattern.text.dropFirst()) }

        /// The reply that is asked first, where one is asked before the handler.
        var reply: ReplyNames.Listed? { replies.first { !$0.reply.isPass } }
    }

    private struct Key: Hashable {
        let text: JSON.Bytewise
        let pages: String?
    }

    /// Sorted by their names.
    private(set) var entries: [Entry]
    private let routes: Routes<Named>

    /// A pattern among all, by which a call is counted.
    private struct Named: Routed {
        let pattern: RoutePattern
    }

    /// - Parameters:
    ///   - layers: the layers of replies, the first of which is asked first.
    ///   - handlers: those of some pages, the most special first, and at last those of all.
    init(
        layers: [(names: ReplyNames, pages: String?)], handlers: [(routes: [Route], pages: String?)]
    ) {
        var patterns: [Key: RoutePattern] = [:]
        for (names, pages) in layers {
            for reply in names.listed {
                patterns[Key(text: .init(reply.pattern.text), pages: pages)] = reply.pattern
            }
        }
        for (routes, pages) in handlers {
            for route in routes {
                patterns[Key(text: .init(route.pattern.text), pages: pages)] = route.pattern
            }
        }
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

    /// The reply for a pattern: the same one, or where it stands for one name, the best that fits that.
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

    /// The text of the pattern that fits a call best.
    func pattern(for segments: [String]) -> String? { routes.matches(segments).first?.route.pattern.text }

    /// The entries of a name: those that are written so, or else those that fit it.
    func entries(named name: String) -> [Entry] {
        guard let text = RoutePattern(checking: name)?.text else { return [] }
        let same = entries.filter { JSON.Bytewise($0.pattern.text) == JSON.Bytewise(text) }
        guard same.isEmpty, let best = pattern(for: Target.segments(of: text) ?? []) else { return same }
        return entries.filter { $0.pattern.text == best }
    }
}

/// What was called of each pattern of a catalogue.
struct SeenCalls {
    /// The calls of a name, the oldest first.
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
    /// The path of a call, as it was sent.
    var path: String { String(head.target.prefix { $0 != "?" }) }
}
