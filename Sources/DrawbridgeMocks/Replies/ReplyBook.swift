import Synchronization

/// What a gateway answers in place of handlers, and what each session has changed of that.
///
/// Replies stand in layers; the first that has one for a name is asked first. Where its reply is `$pass`, or none of its
/// cases fits, the next one is asked, and at last the handlers.
package final class ReplyBook: Sendable {
    private struct State {
        /// What is given by whoever starts the program, and what its code adds behind that.
        var given = ReplyLayers([])
        var coded: [ReplyNames] = []
        /// As a session begins.
        var fresh = SessionReplies()
        /// The sessions that are not as they began, or once were not.
        var sessions: [Session: SessionReplies] = [:]
        /// Counts uses of sessions, so that the longest idle one is known.
        var uses = 0
        /// All sequences that there are: who asks while they are replaced leaves no step behind.
        var sequences: Set<SessionReplies.Sequence> = []
        /// What was said since the last save.
        var news = ReplyNews()

        subscript(session: Session) -> SessionReplies { sessions[session] ?? fresh }

        /// Changes what a session has of its own, which it has from now on.
        mutating func change(_ session: Session, _ change: (inout SessionReplies) -> Void) {
            let fresh = fresh
            change(&sessions[session, default: fresh])
            uses += 1
            sessions[session]?.used = uses
            guard sessions.count > ReplyBook.mostSessions else { return }
            // A session that has places in sequences alone may be any page's, which says what it likes; that of a test has
            // more.
            let others = sessions.lazy.filter { $0.key != .usual && $0.key != session }
            let idle = others.min { a, b in
                (a.value.isTests ? 1 : 0, a.value.used) < (b.value.isTests ? 1 : 0, b.value.used)
            }
            if let idle { sessions[idle.key] = nil }
        }

        /// What is answered in a session, which is not idle then.
        mutating func layers(in session: Session, ofPageAt page: String?) -> [ReplyNames] {
            if sessions[session] != nil {
                uses += 1
                sessions[session]?.used = uses
            }
            return self[session].layers(ofPageAt: page)
        }
    }

    /// More sessions than tests run side by side; of more, the longest idle one goes.
    package static let mostSessions = 1000
    /// Bytes of the replies that all sessions together may set; what they are read into takes some ten times that.
    static let mostBytes = 16 << 20

    private let state = Mutex(State())
    private let registry: Registry
    /// Most gateways have none, and their requests need no lock to know it.
    private let isUnused = Atomic<Bool>(true)

    package init(in registry: Registry) { self.registry = registry }

    /// Whether anybody has any reply.
    package var isUsed: Bool { !isUnused.load(ordering: .acquiring) }

    // MARK: What there is

    /// Replaces all that whoever starts the program has given, at once.
    ///
    /// A sequence whose text did not change goes on where it is; the others begin anew. Scenarios that somebody switched
    /// stay as they are, as long as there are such; else those are on that the layers say.
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

    /// Replaces all that code has given, which is asked behind all else.
    package func set(inCode layers: [ReplyNames]) {
        change { state in
            state.coded = layers.filter { !$0.isEmpty }
            state.news = ReplyNews()
        }
    }

    /// Switches a scenario on, and the others of its group off; or switches it off.
    ///
    /// - Parameter isByTest: whether a test does, and not what is done behind an answer.
    /// - Throws: where there is no such scenario.
    package func turn(
        _ scenario: String, on isOn: Bool, in session: Session = .usual, isByTest: Bool = false
    ) throws(NoScenario) {
        var problem: NoScenario?
        changeOne(session) { state in
            let names = state.given.scenarioNames
            if names.contains(scenario) {
                state.change(session) { replies in
                    replies.scenarios.turn(scenario, on: isOn)
                    if isByTest { replies.isTests = true }
                }
            } else {
                problem = NoScenario(name: scenario, names: names)
            }
        }
        if let problem { throw problem }
    }

    /// Sets a reply of a session, before all others; or takes it back, where it is nil.
    ///
    /// - Throws: what is wrong with it, or why there is no room for it.
    /// - Returns: what may have been meant otherwise.
    @discardableResult
    package func set(_ reply: LocatedJSON?, for name: String, in session: Session) throws(ReplyFault)
        -> [ReplyFault]
    {
        var outcome: Result<[ReplyFault], ReplyFault> = .success([])
        changeOne(session) { state in
            var replies = state[session]
            do throws(ReplyFault) {
                let known = Set(state.given.scenarioNames)
                outcome = .success(try replies.set(reply, for: name, in: session, scenarios: known))
                let others = state.sessions.reduce(0) { $0 + ($1.key == session ? 0 : $1.value.ownBytes) }
                if let reply, others + replies.ownBytes > Self.mostBytes {
                    throw ReplyFault(
                        "all sessions have set \(Self.mostBytes >> 20) MB of replies together; reset sessions that have finished",
                        at: reply)
                }
                state.change(session) { $0 = replies }
            } catch {
                outcome = .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Takes back all that a session has changed.
    package func reset(_ session: Session) { changeOne(session) { $0.sessions[session] = nil } }

    /// The scenarios that are on; the last is asked first.
    package func scenarios(in session: Session = .usual) -> [String] {
        state.withLock { $0[session].scenarios.on }
    }

    /// The names of all scenarios, sorted.
    package var scenarioNames: [String] { state.withLock { $0.given.scenarioNames } }

    /// The replies that a session has set, by their names.
    package func replies(of session: Session) -> JSON.Object { state.withLock { $0[session].own } }

    /// What sessions have changed: the replies that they have set, and the scenarios that are on.
    package var changed: [Session: (replies: JSON.Object, scenarios: [String])] {
        state.withLock { $0.sessions.mapValues { ($0.own, $0.scenarios.on) } }
    }

    /// The file that is asked first, where replies come from files.
    package var file: String? { state.withLock { $0.given.file } }

    /// What native does by itself, by its name.
    package var events: [String: [ReplyStep]] { state.withLock { $0.given.events } }

    /// The events that can be played, in the order of their names.
    package var eventNames: [String] { events.keys.sorted() }

    /// What the page at a path is given besides replies.
    package func settings(ofPageAt path: String) -> PageSettings {
        state.withLock { $0.given }.settings(ofPageAt: path)
    }

    /// Which of the parts that are for some pages are for the page at a path, by their places.
    package func parts(ofPageAt path: String) -> [Int] {
        guard isUsed else { return [] }
        return state.withLock { $0.given.pages }.enumerated().filter { $0.element.pattern.matches(path) }
            .map(\.offset)
    }

    /// Whether something is done when a page arrives.
    package var hasEventAtArrival: Bool { isUsed && events[ReplyFile.atArrival]?.isEmpty == false }

    /// How many sessions are not as they began.
    var sessionCount: Int { state.withLock { $0.sessions.count } }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.sequences = Set(
                (state.given.all + state.coded + state.sessions.values.map(\.names)).flatMap(
                    SessionReplies.sequences))
            state.fresh = SessionReplies(scenarios: Scenarios(state.given.scenario))
            state.fresh.ask(state.given, state.coded)
            var isEmpty = state.fresh.isEmpty && state.given.events.isEmpty && state.given.settings.isEmpty
            for session in Array(state.sessions.keys) {
                state.sessions[session]?.ask(state.given, state.coded)
                state.sessions[session]?.keepSteps(of: state.sequences)
                isEmpty = isEmpty && state.sessions[session]?.isEmpty == true
            }
            isUnused.store(isEmpty, ordering: .releasing)
        }
        registry.hasChanged()
    }

    /// Changes what one session has of its own, which costs as much however many others there are.
    private func changeOne(_ session: Session, _ change: (inout State) -> Void) {
        state.withLock { state in
            let before = SessionReplies.sequences(of: state[session].names)
            change(&state)
            let after = SessionReplies.sequences(of: state[session].names)
            if before != after {
                state.sequences.subtract(before)
                state.sequences.formUnion(after)
                state.sessions[session]?.keepSteps(of: state.sequences)
            }
            state.sessions[session]?.ask(state.given, state.coded)
            if !state[session].isEmpty { isUnused.store(false, ordering: .releasing) }
        }
        registry.hasChanged()
    }

    /// Those names and the names of replies, but for what is said to be missing.
    package func named(besides names: Set<String>, in session: Session = .usual, ofPageAt path: String? = nil)
        -> Set<String>
    {
        guard isUsed else { return names }
        let layers = state.withLock { $0[session] }.layers(ofPageAt: path)
        let all = layers.reduce(into: names) { $0.formUnion($1.shown) }
        return all.subtracting(Self.missing(among: all, of: layers))
    }

    /// Those names of which a reply says that they are missing.
    package func missing(among names: Set<String>, in session: Session, ofPageAt path: String?) -> Set<String>
    {
        guard isUsed, !names.isEmpty else { return [] }
        return Self.missing(among: names, of: state.withLock { $0[session] }.layers(ofPageAt: path))
    }

    private static func missing(among names: Set<String>, of layers: [ReplyNames]) -> Set<String> {
        guard layers.contains(where: \.hasMissing) else { return [] }
        return names.filter { name in
            let segments = name.split(separator: "/").map(String.init)
            let first = layers.lazy.flatMap { $0.matches(segments) }.first { !$0.reply.isPass }
            return first?.reply.isMissing == true
        }
    }

    /// The patterns of all replies.
    package func patterns(in session: Session = .usual, ofPageAt path: String? = nil) -> [String] {
        state.withLock { $0[session] }.layers(ofPageAt: path).flatMap(\.patterns)
    }

    /// All layers of a session in the order in which they are asked, and the pages that one is for alone.
    package func layers(in session: Session) -> [(names: ReplyNames, pages: String?)] {
        state.withLock { $0[session] }.all
    }

    // MARK: What is answered

    /// The replies for a path, as they are at one moment.
    ///
    /// - Parameter page: the path of the address of the page that asks.
    package func lookup(_ path: String, in session: Session = .usual, ofPageAt page: String? = nil)
        -> ReplyLookup
    {
        guard isUsed, let segments = Target.segments(of: path) else { return ReplyLookup([], in: session) }
        return ReplyLookup(
            state.withLock { $0.layers(in: session, ofPageAt: page) }.flatMap { layer in
                layer.matches(segments).map { name, reply in
                    FoundReply(
                        source: layer.source, name: name, title: layer.title(of: name), reply: reply)
                }
            }, in: session)
    }

    /// What is answered to a call, nil where what lies beneath is asked; each step of a sequence is given once.
    ///
    /// - Parameter redaction: whose values are not said where a case does not fit.
    package func next(in lookup: inout ReplyLookup, _ input: ReplyInput, _ redaction: Redaction)
        -> FoundReply?
    {
        while let found = lookup.next() {
            if let answer = resolve(found, input, redaction, &lookup) { return answer }
        }
        return nil
    }

    /// What was said since the last save.
    package func news<Value>(_ work: (inout ReplyNews) -> Value) -> Value {
        state.withLock { work(&$0.news) }
    }

    /// Whether something was not said yet about a reply, since the last save.
    package func isNews(_ word: String, in title: String) -> Bool { news { $0.isNews(word, in: title) } }

    /// The reply that one comes to for an input; nil where what lies beneath is asked.
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
            let step = step(of: sequence, among: replies.count, in: lookup.session)
            return resolve(found.inner(replies[step], "step \(step + 1)"), input, redaction, &lookup)
        case .pass:
            lookup.why.append("\(found.title): $pass")
            return nil
        case .value, .template, .error, .silence, .missing, .ask, .raw, .forward: return found
        }
    }

    /// The place of the element that a sequence gives now; the last one is given again and again.
    private func step(of sequence: SessionReplies.Sequence, among count: Int, in session: Session) -> Int {
        state.withLock { state in
            let step = state[session].steps[sequence, default: 0]
            if state.sequences.contains(sequence) {
                state.change(session) { $0.steps[sequence] = min(step + 1, count - 1) }
            }
            return step
        }
    }
}
