/// Replies by their names, which may be patterns, with the precedence that routes have.
package struct ReplyNames: Sendable {
    private struct Named: Routed {
        let pattern: RoutePattern
        let name: String
        let reply: Reply
        let text: String
        /// The line of the mock and the offset of its name in the file; nil if it is not in a file.
        let place: (line: Int, offset: Int)?
    }

    package struct Listed: Sendable {
        package let pattern: RoutePattern
        /// The name as shown in the journal and the log.
        package let title: String
        package let reply: Reply
        package let text: String
        package let source: String
        package let place: (file: String, line: Int, offset: Int)?
    }

    private var routes = Routes<Named>()
    /// The names without patterns, which a page can be told that native has.
    private(set) var shown: Set<String> = []
    private(set) var hasMissing = false
    /// Where the replies come from, which also distinguishes their sequences from those of other layers.
    package var source = ""
    /// What the log adds to the names: the scenario, or the pattern of the pages.
    var label: String?
    /// The file that has the replies; nil for those of flags, code or sessions.
    var file: String?
    /// Warnings about what is probably a mistake, such as a template in a value that is sent unchanged.
    package internal(set) var doubts: [ReplyFault] = []

    package init() {}

    /// A name as the key of a file, without the optional first slash.
    package static func key(_ name: String) -> String { String(RoutePattern(name).text.dropFirst()) }

    package init(_ value: LocatedJSON, trust: ReplyTrust = .written) throws(ReplyFault) {
        guard let members = value.members else {
            throw Grammar.file.fault("replies", at: value)
        }
        for (name, value) in members {
            let place = (value.lines(before: value.nameOffset) + 1, value.nameOffset)
            if let other = try add(value, for: name, trust, at: place).other {
                throw ReplyFault("\(name) and \(other) are the same name; keep one", at: value)
            }
        }
    }

    /// Reads the member `replies`; without one there are no replies.
    init(in parts: [String: LocatedJSON], _ trust: ReplyTrust) throws(ReplyFault) {
        if let value = parts["replies"] { try self.init(value, trust: trust) } else { self.init() }
    }

    /// Adds a reply; `other` is the name of the one that had its pattern before.
    private mutating func add(
        _ value: LocatedJSON, for name: String, _ trust: ReplyTrust, at place: (line: Int, offset: Int)?
    ) throws(ReplyFault) -> (reply: Reply, other: String?) {
        doubts += ReplyReader.doubts(about: value)
        let pattern = try Self.pattern(name, at: value)
        let reply = try ReplyReader.reply(value, for: name, trust: trust)
        if pattern.isOnePath { shown.insert(String(pattern.text.dropFirst())) }
        if reply.isMissing { hasMissing = true }
        let named = Named(pattern: pattern, name: name, reply: reply, text: value.text, place: place)
        return (reply, routes.insert(named).first?.name)
    }

    @discardableResult
    package mutating func set(
        _ value: LocatedJSON, for name: String, trust: ReplyTrust = .written
    ) throws(ReplyFault) -> Reply {
        try add(value, for: name, trust, at: nil).reply
    }

    mutating func remove(_ name: String) {
        let pattern = RoutePattern(name)
        shown.remove(String(pattern.text.dropFirst()))
        _ = routes.remove(pattern)
        if hasMissing { hasMissing = routes.all.contains(where: \.reply.isMissing) }
    }

    private static func pattern(_ name: String, at value: LocatedJSON) throws(ReplyFault) -> RoutePattern {
        guard RoutePattern.isPattern(name) else {
            throw ReplyFault(
                "* is allowed only at the end of a name; write :name for a segment before it",
                at: value)
        }
        guard !name.hasPrefix("$") else {
            throw ReplyFault("\(name) is a keyword, not the name of a call; put it inside a reply", at: value)
        }
        return RoutePattern(name)
    }

    func matches(_ segments: [String]) -> [(name: String, reply: Reply)] {
        routes.matches(segments).map { ($0.route.name, $0.route.reply) }
    }

    package var listed: [Listed] { routes.all.map(listed) }

    package func listed(for segments: [String]) -> Listed? {
        routes.matches(segments).first.map { listed($0.route) }
    }

    private func listed(_ named: Named) -> Listed {
        Listed(
            pattern: named.pattern, title: title(of: named.name), reply: named.reply, text: named.text,
            source: source, place: file.flatMap { file in named.place.map { (file, $0.line, $0.offset) } })
    }

    func title(of name: String) -> String { label.map { "\(name) (\($0))" } ?? name }

    package var isEmpty: Bool { routes.isEmpty }

    package var texts: [String: String] {
        Dictionary(routes.all.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    package var names: [String] { routes.all.map(\.name).sorted() }

    func nearest(to path: String) -> Nearest.Found? { routes.nearest(to: path) }

    var sequences: [Reply.Place] { replies.compactMap(\.place) }

    var switched: [String] { routes.all.flatMap(\.reply.switched) }

    var questions: [String] {
        routes.all.filter { named in
            named.reply.allWithin.contains { if case .ask = $0.outcome { true } else { false } }
        }.map(\.name)
    }

    /// Whether a reply for a path of one segment may leave the call to the next layer (`$pass`).
    func passes(_ path: String) -> Bool {
        routes.matches([Self.key(path)]).contains { match in
            match.route.reply.allWithin.contains(where: \.isPass)
        }
    }

    package var forwards: [ForwardTarget] {
        replies.compactMap { if case .forward(let target) = $0.outcome { target } else { nil } }
    }

    private var replies: [Reply] { routes.all.flatMap(\.reply.allWithin) }
}

extension Reply {
    fileprivate var place: Place? { if case .sequence(_, let place) = outcome { place } else { nil } }

    /// The replies of which this one selects one for each call: its elements, cases or choices.
    package var inner: [Reply] {
        switch outcome {
        case .sequence(let replies, _): replies
        case .cases(let cases): cases.map(\.reply)
        case .ask(let ask): ask.choices.map(\.reply)
        case .value, .template, .error, .silence, .missing, .pass, .raw, .forward: []
        }
    }

    var switched: [String] { allWithin.flatMap(\.then).compactMap(\.scenario) }

    fileprivate var allWithin: [Reply] { [self] + inner.flatMap(\.allWithin) }
}
