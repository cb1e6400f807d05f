import Synchronization

/// All replies of a gateway, and the changes that each session has made to them.
///
/// Replies are in layers, which are asked in order. If the reply of a layer is `$pass`, or none of its cases matches,
/// the next layer is asked, and finally the handlers.
package final class ReplyBook: Sendable {
    struct State {
        /// `given` has the replies of flags and files; `coded` those of Swift code, which are asked after them.
        var given = ReplyLayers([])
        var coded: [ReplyNames] = []
        var fresh = SessionReplies()
        /// Sessions whose state was changed since their last reset, by a test, a step or a call in a sequence.
        var sessions: [Session: SessionReplies] = [:]
        /// Grows with each use of a session, so that the session that was not used for longest can be found.
        var uses = 0
        var news = ReplyNews()
        var onChange: (@Sendable (Session, _ isDropped: Bool) -> Void)?

        subscript(session: Session) -> SessionReplies { sessions[session] ?? fresh }

        /// Changes the state of a session; the first change creates that state.
        mutating func change(_ session: Session, _ change: (inout SessionReplies) -> Void) {
            let fresh = fresh
            change(&sessions[session, default: fresh])
            uses += 1
            sessions[session]?.used = uses
            onChange?(session, false)
            guard sessions.count > Session.most else { return }
            // At the limit, sessions that no test has changed are dropped first: pages can create any number of them.
            let others = sessions.lazy.filter { $0.key != .usual && $0.key != session }
            let idle = others.min { a, b in
                (a.value.isTests ? 1 : 0, a.value.used) < (b.value.isTests ? 1 : 0, b.value.used)
            }
            guard let idle else { return }
            sessions[idle.key] = nil
            onChange?(idle.key, true)
        }

        /// The layers that are asked for a call, in order: the session's own replies, its scenarios, those of `pages`
        /// that match the page, those of flags and files, those of code.
        func layers(in session: Session, ofPageAt path: String?) -> [ReplyNames] {
            var layers = ownLayers(of: session)
            if let path { layers += given.pages.filter { $0.pattern.matches(path) }.map(\.replies) }
            return layers + given.replies + coded
        }

        func ownLayers(of session: Session) -> [ReplyNames] {
            let own = self[session]
            return (own.names.isEmpty ? [] : [own.names]) + given.scenarios(own.scenarios.on)
        }
    }

    /// The most bytes of replies that all sessions together may set; parsed, they take about ten times that memory.
    static let mostBytes = 16 << 20

    let state = Mutex(State())
    private let registry: Registry
    /// Most gateways have no replies: with this flag their requests do not take the lock.
    private let isUnused = Atomic<Bool>(true)

    package init(in registry: Registry) { self.registry = registry }

    /// False if there is certainly no reply, event or setting; may be true without any.
    package var isUsed: Bool { !isUnused.load(ordering: .acquiring) }

    /// Replaces all replies of flags and files in one step.
    ///
    /// A sequence whose text did not change keeps its position; other sequences start again. A session that has
    /// switched scenarios keeps those that still exist; any other gets the new initial ones.
    package func set(_ layers: ReplyLayers) {
        change { state in
            let known = Set(layers.scenarioNames)
            let usual = Scenarios(state.given.scenario)
            for (session, replies) in state.sessions {
                state.sessions[session]?.scenarios =
                    replies.scenarios == usual
                    ? Scenarios(layers.scenario) : replies.scenarios.kept(of: known, besides: layers.scenario)
            }
            state.given = layers
            state.news = ReplyNews()
        }
    }

    /// Replaces all replies given in code, the layers that are asked last.
    package func set(inCode layers: [ReplyNames]) {
        change { state in
            state.coded = layers.filter { !$0.isEmpty }
            state.news = ReplyNews()
        }
    }

    /// Switches a scenario on, and the others of its group off; or switches it off.
    ///
    /// - Parameter isByTest: whether a test does it, and not a step after an answer.
    package func turn(
        _ scenario: String, on isOn: Bool, in session: Session = .usual, isByTest: Bool = false
    ) throws(NoScenario) {
        try changeOne(session) { state throws(NoScenario) in
            let names = state.given.scenarioNames
            guard names.contains(scenario) else { throw NoScenario(name: scenario, names: names) }
            state.change(session) { replies in
                replies.scenarios.turn(scenario, on: isOn)
                if isByTest { replies.isTests = true }
            }
        }
    }

    /// Sets a reply of a session, which takes precedence over all others; nil removes it.
    ///
    /// - Throws: what is wrong with the reply, or that a size limit is reached.
    /// - Returns: warnings about what is probably a mistake.
    @discardableResult
    package func set(_ reply: LocatedJSON?, for name: String, in session: Session) throws(ReplyFault)
        -> [ReplyFault]
    {
        try changeOne(session) { state throws(ReplyFault) in
            var replies = state[session]
            let known = Set(state.given.scenarioNames)
            let doubts = try replies.set(reply, for: name, in: session, scenarios: known)
            let others = state.sessions.reduce(0) { $0 + ($1.key == session ? 0 : $1.value.ownBytes) }
            if let reply, others + replies.ownBytes > Self.mostBytes {
                throw ReplyFault(
                    "all sessions have set \(Self.mostBytes >> 20) MB of replies together; reset sessions that have finished",
                    at: reply)
            }
            state.change(session) { $0 = replies }
            return doubts
        }
    }

    package func reset(_ session: Session) {
        changeOne(session) { state in
            state.sessions[session] = nil
            state.onChange?(session, false)
        }
    }

    /// The scenarios that are on, in the order in which they were switched on; the last one takes precedence.
    package func scenarios(in session: Session = .usual) -> [String] {
        state.withLock { $0[session].scenarios.on }
    }

    package var scenarioNames: [String] { state.withLock { $0.given.scenarioNames } }

    package func replies(of session: Session) -> JSON.Object { state.withLock { $0[session].own } }

    package var changed: [Session: (replies: JSON.Object, scenarios: [String])] {
        state.withLock { $0.sessions.mapValues { ($0.own, $0.scenarios.on) } }
    }

    package var file: String? { state.withLock { $0.given.file } }

    package var events: [String: [ReplyStep]] { state.withLock { $0.given.events } }

    package var eventNames: [String] { events.keys.sorted() }

    package func settings(ofPageAt path: String) -> PageSettings {
        state.withLock { $0.given }.settings(ofPageAt: path)
    }

    package func parts(ofPageAt path: String) -> [Int] {
        guard isUsed else { return [] }
        return state.withLock { $0.given.pages }.enumerated().filter { $0.element.pattern.matches(path) }
            .map(\.offset)
    }

    package var hasEventAtArrival: Bool { isUsed && events[ReplyFile.atArrival]?.isEmpty == false }

    var sessionCount: Int { state.withLock { $0.sessions.count } }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            let layers = state.given.all + state.coded + state.sessions.values.map(\.names)
            let sequences = Set(layers.flatMap(SessionReplies.sequences))
            state.fresh = SessionReplies(scenarios: Scenarios(state.given.scenario))
            for session in Array(state.sessions.keys) { state.sessions[session]?.keepSteps(of: sequences) }
            let isEmpty =
                layers.allSatisfy(\.isEmpty) && state.given.pages.isEmpty && state.given.events.isEmpty
                && state.given.settings.isEmpty
            isUnused.store(isEmpty, ordering: .releasing)
        }
        registry.hasChanged()
    }

    /// Changes one session without visiting the others, so the cost does not grow with their number.
    func changeOne<Result, Failure: Error>(
        _ session: Session, _ change: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { registry.hasChanged() }
        return try state.withLock { state throws(Failure) in
            let result = try change(&state)
            if !state[session].names.isEmpty { isUnused.store(false, ordering: .releasing) }
            return result
        }
    }

    /// The given names and the names that have a reply, except those whose reply is `$missing`.
    package func named(besides names: Set<String>, in session: Session = .usual, ofPageAt path: String? = nil)
        -> Set<String>
    {
        guard isUsed else { return names }
        let layers = state.withLock { $0.layers(in: session, ofPageAt: path) }
        let all = layers.reduce(into: names) { $0.formUnion($1.shown) }
        return all.subtracting(Self.missing(among: all, of: layers))
    }

    package func missing(among names: Set<String>, in session: Session, ofPageAt path: String?) -> Set<String>
    {
        guard isUsed, !names.isEmpty else { return [] }
        return Self.missing(among: names, of: state.withLock { $0.layers(in: session, ofPageAt: path) })
    }

    private static func missing(among names: Set<String>, of layers: [ReplyNames]) -> Set<String> {
        guard layers.contains(where: \.hasMissing) else { return [] }
        return names.filter { name in
            let segments = name.split(separator: "/").map(String.init)
            let first = layers.lazy.flatMap { $0.matches(segments) }.first { !$0.reply.isPass }
            return first?.reply.isMissing == true
        }
    }

    /// The most similar name of each layer, for a "did you mean".
    package func nearest(to path: String, in session: Session, ofPageAt page: String?) -> [Nearest.Found] {
        state.withLock { $0.layers(in: session, ofPageAt: page) }.compactMap { $0.nearest(to: path) }
    }

    /// All layers of a session in the order of precedence; `pages` is the pattern of a layer for some pages only.
    package func layers(in session: Session) -> [(names: ReplyNames, pages: String?)] {
        state.withLock { state in
            state.ownLayers(of: session).map { ($0, nil) }
                + state.given.pages.map { ($0.replies, $0.pattern.text) }
                + (state.given.replies + state.coded).map { ($0, nil) }
        }
    }

    /// The mocks of a name: `first` is the one that answers, `written` the one that a save would change in its file.
    package func standing(_ name: String, in session: Session, ofPageAt page: String?)
        -> (first: ReplyNames.Listed?, written: ReplyNames.Listed?)
    {
        let segments = Target.segments(of: RoutePattern(name).text) ?? []
        let all = state.withLock { $0.layers(in: session, ofPageAt: page) }.compactMap {
            $0.listed(for: segments)
        }
        let written = all.filter { $0.place != nil }
        return (all.first { !$0.reply.isPass }, written.first { !$0.reply.isPass } ?? written.first)
    }

    /// A snapshot of the replies that match a path.
    ///
    /// - Parameter page: the path of the calling page's URL.
    package func lookup(_ path: String, in session: Session = .usual, ofPageAt page: String? = nil)
        -> ReplyLookup
    {
        guard isUsed, let segments = Target.segments(of: path) else { return ReplyLookup([], in: session) }
        let layers = state.withLock { state in
            if state.sessions[session] != nil {
                state.uses += 1
                state.sessions[session]?.used = state.uses
            }
            return state.layers(in: session, ofPageAt: page)
        }
        return ReplyLookup(
            layers.flatMap { layer in
                layer.matches(segments).map { name, reply in
                    FoundReply(
                        source: layer.source, name: name, title: layer.title(of: name), reply: reply)
                }
            }, in: session)
    }

    /// The reply that answers a call, nil if the handler has to; advances every sequence that it passes through.
    package func next(in lookup: inout ReplyLookup, _ input: ReplyInput, _ redaction: Redaction)
        -> FoundReply?
    {
        while let found = lookup.next() {
            if let answer = resolve(found, input, redaction, &lookup) { return answer }
        }
        return nil
    }

    package func news<Value>(_ work: (inout ReplyNews) -> Value) -> Value {
        state.withLock { work(&$0.news) }
    }

    /// Whether a message about a reply was not logged since the last reload; marks it as logged.
    package func isNews(_ word: String, in title: String) -> Bool { news { $0.isNews(word, in: title) } }

    /// Follows cases and sequences to the reply for an input; nil if the next layer has to be asked.
    private func resolve(
        _ found: FoundReply, _ input: ReplyInput, _ redaction: Redaction, _ lookup: inout ReplyLookup
    ) -> FoundReply? {
        switch found.reply.outcome {
        case .cases(let cases):
            for (place, own) in cases.enumerated() {
                let inner = found.inner(own.reply, "case \(place + 1)")
                guard let misfit = own.condition?.misfit(input, redaction) else {
                    return resolve(inner, input, redaction, &lookup)
                }
                lookup.why.append("\(inner.title): \(misfit)")
            }
            return nil
        case .sequence(let replies, let place):
            let sequence = SessionReplies.Sequence(source: found.source, place: place)
            let step = step(of: sequence, among: replies.count, in: lookup)
            return resolve(found.inner(replies[step], "step \(step + 1)"), input, redaction, &lookup)
        case .pass:
            lookup.why.append("\(found.title): $pass")
            return nil
        case .value, .template, .error, .silence, .missing, .ask, .raw, .forward: return found
        }
    }

    /// The index of the current element; the sequence then advances, and stays at its last element.
    private func step(of sequence: SessionReplies.Sequence, among count: Int, in lookup: ReplyLookup) -> Int {
        state.withLock { state in
            let step = min(state[lookup.session].steps[sequence, default: 0], count - 1)
            if lookup.isTrial { return step }
            state.change(lookup.session) { $0.steps[sequence] = min(step + 1, count - 1) }
            return step
        }
    }
}
