package struct SessionReplies: Sendable {
    struct Sequence: Hashable, Sendable, Codable {
        let source: String
        let place: Reply.Place
    }

    var scenarios = Scenarios([])
    /// The replies that were set at run time: `names` parsed, `own` as written.
    private(set) var names = ReplyNames()
    private(set) var own = JSON.Object()
    var steps: [Sequence: Int] = [:]
    /// The time of the last use, as a number that grows with each use of any session.
    var used = 0

    static let mostReplies = 1000
    package static let mostBytes = 1 << 20

    init(scenarios: Scenarios = Scenarios([])) { self.scenarios = scenarios }

    /// Whether a test has changed the session; sessions in which only pages have called are the first to be dropped.
    var isTests = false
    private(set) var ownBytes = 0

    /// Sets a reply; nil removes it.
    ///
    /// - Parameter scenarios: the names of all scenarios; a step that switches any other is an error.
    /// - Returns: warnings about what is probably a mistake.
    mutating func set(
        _ reply: LocatedJSON?, for name: String, in session: Session, scenarios: Set<String>
    ) throws(ReplyFault) -> [ReplyFault] {
        let name = ReplyNames.key(name)
        var doubts: [ReplyFault] = []
        var replies = own
        replies[name] = reply?.json
        let bytes = ownBytes + Self.bytes(of: reply?.json, name) - Self.bytes(of: own[name], name)
        if let reply {
            guard replies.count <= Self.mostReplies, bytes <= Self.mostBytes else {
                throw ReplyFault(
                    """
                    session \(session.name) has \(own.count) replies; the limit is \(Self.mostReplies), or 1 MB together; \
                    remove some, or write them into a file
                    """, at: reply)
            }
            var changed = names
            let read = try changed.set(reply, for: name, trust: .little)
            if let missing = Set(read.switched).subtracting(scenarios).sorted().first {
                throw ReplyFault("\(NoScenario(name: missing, names: scenarios.sorted()))", at: reply)
            }
            swap(&doubts, &changed.doubts)
            names = changed
        } else {
            names.remove(name)
        }
        ownBytes = bytes
        isTests = true
        names.source = "session \(session.name)"
        names.label = session == .usual ? "set" : "set, \(session.name)"
        // One that is set again begins anew, also with the same text.
        let sequences = Set(Self.sequences(of: names).filter { $0.place.name != name })
        steps = steps.filter { $0.key.source != names.source || sequences.contains($0.key) }
        own = replies
        return doubts
    }

    private static func bytes(of reply: JSON?, _ name: String) -> Int {
        reply.map { $0.bytes.count + name.utf8.count + 4 } ?? 0
    }

    /// Drops the positions of sequences that no longer exist.
    mutating func keepSteps(of sequences: Set<Sequence>) {
        steps = steps.filter { sequences.contains($0.key) }
    }

    static func sequences(of layer: ReplyNames) -> [Sequence] {
        layer.sequences.map { Sequence(source: layer.source, place: $0) }
    }
}
