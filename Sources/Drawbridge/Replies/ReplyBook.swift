import Synchronization

/// What a gateway answers in place of handlers, which scenarios are on, and how far its sequences are.
///
/// Replies stand in layers; the first that has one for a name is asked first. Where its reply is `$pass`, or none of its
/// cases fits, the next one is asked, and at last the handlers.
package final class ReplyBook: Sendable {
    private struct State {
        /// What is given by whoever starts the program, and what its code adds behind that.
        var given = ReplyLayers([])
        var coded: [ReplyNames] = []
        /// The scenarios that are on.
        var scenarios = Scenarios([])
        /// All that are asked now, the first before the others.
        var asked: [ReplyNames] = []
        /// How many elements each sequence has answered.
        var steps: [Sequence: Int] = [:]
        /// All that there are: who asks while they are replaced leaves no step behind.
        var sequences: Set<Sequence> = []
        /// What was said once about which reply.
        var said: Set<[String]> = []
    }

    private struct Sequence: Hashable {
        let source: String
        let place: Reply.Place
    }

    private let state = Mutex(State())
    private let registry: Registry
    /// Most gateways have none, and their requests need no lock to know it.
    private let isUnused = Atomic<Bool>(true)

    init(in registry: Registry) { self.registry = registry }

    // MARK: What there is

    /// Replaces all that whoever starts the program has given, at once.
    ///
    /// A sequence whose text did not change goes on where it is; the others begin anew. Scenarios that somebody switched
    /// stay as they are, as long as there are such; else those are on that the layers say.
    func set(_ layers: ReplyLayers) {
        change { state in
            if state.scenarios == Scenarios(state.given.scenario) {
                state.scenarios = Scenarios(layers.scenario)
            } else {
                let known = Set(layers.scenarioNames)
                state.scenarios = Scenarios(state.scenarios.on.filter(known.contains))
            }
            state.given = layers
            state.said = []
        }
    }

    /// Replaces all that code has given, which is asked behind all else.
    func set(inCode layers: [ReplyNames]) {
        change { state in
            state.coded = layers.filter { !$0.isEmpty }
            state.said = []
        }
    }

    /// Switches a scenario on, and the others of its group off; or switches it off.
    ///
    /// - Throws: where there is no such scenario.
    func turn(_ scenario: String, on isOn: Bool) throws(NoScenario) {
        var problem: NoScenario?
        change { state in
            let names = state.given.scenarioNames
            if names.contains(scenario) {
                state.scenarios.turn(scenario, on: isOn)
            } else {
                problem = NoScenario(name: scenario, names: names)
            }
        }
        if let problem { throw problem }
    }

    /// The scenarios that are on; the last is asked first.
    package var scenarios: [String] { state.withLock { $0.scenarios.on } }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.asked = state.given.asked(in: state.scenarios.on) + state.coded
            let kept = Set(
                (state.given.all + state.coded).flatMap { layer in
                    layer.sequences.map { Sequence(source: layer.source, place: $0) }
                })
            state.steps = state.steps.filter { kept.contains($0.key) }
            state.sequences = kept
            isUnused.store(state.asked.isEmpty, ordering: .releasing)
        }
        registry.hasChanged()
    }

    /// Those names and the names of replies, but for what is said to be missing.
    func named(besides names: Set<String>) -> Set<String> {
        guard !isUnused.load(ordering: .acquiring) else { return names }
        let layers = state.withLock { $0.asked }
        return names.union(layers.flatMap(\.plain)).filter { name in
            let segments = name.split(separator: "/").map(String.init)
            let first = layers.lazy.flatMap { $0.matches(segments) }.first { !$0.reply.isPass }
            return first?.reply.isMissing != true
        }
    }

    /// The patterns of all replies.
    var patterns: [String] { state.withLock { $0.asked }.flatMap(\.patterns) }

    // MARK: What is answered

    /// The replies for a path, as they are at one moment.
    func lookup(_ path: String) -> ReplyLookup {
        guard !isUnused.load(ordering: .acquiring), let segments = Target.segments(of: path) else {
            return ReplyLookup([])
        }
        return ReplyLookup(
            state.withLock { $0.asked }.flatMap { layer in
                layer.matches(segments).map {
                    FoundReply(source: layer.source, title: $0.name, reply: $0.reply)
                }
            })
    }

    /// What is answered to a call, nil where what lies beneath is asked; each step of a sequence is given once.
    func next(in lookup: inout ReplyLookup, _ input: ReplyInput) -> FoundReply? {
        while let found = lookup.next() {
            if let answer = resolve(found, input, &lookup.why) { return answer }
        }
        return nil
    }

    /// Whether something was not said yet about a reply, since the last save.
    func isNews(_ word: String, in title: String) -> Bool {
        state.withLock { $0.said.insert([title, word]).inserted }
    }

    /// The reply that one comes to for an input; nil where what lies beneath is asked.
    private func resolve(_ found: FoundReply, _ input: ReplyInput, _ why: inout [String]) -> FoundReply? {
        switch found.reply.outcome {
        case .cases(let cases):
            for (place, own) in cases.enumerated() {
                let inner = found.inner(own.reply, "case \(place + 1)")
                guard let misfit = own.condition?.misfit(input) else { return resolve(inner, input, &why) }
                why.append("\(inner.title): \(misfit)")
            }
            return nil
        case .sequence(let replies, let place):
            let step = step(of: Sequence(source: found.source, place: place), among: replies.count)
            return resolve(found.inner(replies[step], "step \(step + 1)"), input, &why)
        case .pass:
            why.append("\(found.title): $pass")
            return nil
        case .value, .template, .error, .silence, .missing, .ask, .raw: return found
        }
    }

    /// The place of the element that a sequence gives now; the last one is given again and again.
    private func step(of sequence: Sequence, among count: Int) -> Int {
        state.withLock { state in
            let step = state.steps[sequence, default: 0]
            if state.sequences.contains(sequence) { state.steps[sequence] = min(step + 1, count - 1) }
            return step
        }
    }
}
