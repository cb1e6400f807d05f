import Synchronization

/// What a gateway answers in place of handlers, and how far its sequences are.
///
/// Replies stand in layers; the first that has one for a name is asked first. Where its reply is `$pass`, or none of its
/// cases fits, the next one is asked, and at last the handlers.
package final class ReplyBook: Sendable {
    private struct State {
        /// Those that are given by whoever starts the program, and those of its code.
        var given: [ReplyNames] = []
        var coded: [ReplyNames] = []
        /// All that are asked, the first before the others.
        var layers: [ReplyNames] { given + coded }
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

    /// What comes of a call.
    enum Verdict: Sendable {
        /// - Parameters:
        ///   - title: which reply it is, such as `pay, case 2`.
        ///   - why: why those before it did not fit.
        case answered(Reply, title: String, why: [String])
        case beneath(why: [String])
    }

    private let state = Mutex(State())
    private let registry: Registry
    /// Most gateways have none, and their requests need no lock to know it.
    private let isUnused = Atomic<Bool>(true)

    init(in registry: Registry) { self.registry = registry }

    /// Replaces all layers of one origin at once, the first to be asked first; code is asked behind all others.
    ///
    /// A sequence whose text did not change goes on where it is; the others begin anew.
    func set(_ layers: [ReplyNames], inCode isInCode: Bool = false) {
        let layers = layers.filter { !$0.isEmpty }
        state.withLock { state in
            if isInCode { state.coded = layers } else { state.given = layers }
            let kept = Set(
                state.layers.flatMap { layer in
                    layer.sequences.map { Sequence(source: layer.source, place: $0) }
                })
            state.steps = state.steps.filter { kept.contains($0.key) }
            state.sequences = kept
            state.said = []
            isUnused.store(state.layers.isEmpty, ordering: .releasing)
        }
        registry.hasChanged()
    }

    /// Those names and the names of replies, but for what is said to be missing.
    func named(besides names: Set<String>) -> Set<String> {
        guard !isUnused.load(ordering: .acquiring) else { return names }
        let layers = state.withLock { $0.layers }
        return names.union(layers.flatMap(\.plain)).filter { name in
            let segments = name.split(separator: "/").map(String.init)
            let first = layers.lazy.flatMap { $0.matches(segments) }.first { !$0.reply.isPass }
            return first?.reply.isMissing != true
        }
    }

    /// The patterns of all replies.
    var patterns: [String] { state.withLock { $0.layers }.flatMap(\.patterns) }

    /// How the input of a call is looked at.
    enum Interest: Sendable {
        /// No reply has its name.
        case none
        case name
        case input
    }

    /// The replies that a call of a path may get, as they are at one moment; the first is asked first.
    struct Lookup: Sendable {
        fileprivate let found: [(source: String, name: String, reply: Reply)]

        var interest: Interest {
            if found.isEmpty { return .none }
            return found.contains { $0.reply.looksAtInput } ? .input : .name
        }

        /// Whether there is one that answers, if its case fits.
        var mayAnswer: Bool { found.contains { !$0.reply.isPass && !$0.reply.isMissing } }
    }

    func lookup(_ path: String) -> Lookup {
        guard !isUnused.load(ordering: .acquiring), let segments = Target.segments(of: path) else {
            return Lookup(found: [])
        }
        let found = state.withLock { $0.layers }.flatMap { layer in
            layer.matches(segments).map { (layer.source, $0.name, $0.reply) }
        }
        return Lookup(found: found)
    }

    /// What the replies for a path have to know of a call.
    func interest(in path: String) -> Interest { lookup(path).interest }

    /// Decides what is answered to a call; each step of a sequence is given once.
    func verdict(by lookup: Lookup, on input: ReplyInput) -> Verdict {
        var why: [String] = []
        for (source, name, reply) in lookup.found {
            if let (reply, title) = resolve(reply, of: source, name, input, &why) {
                return .answered(reply, title: title, why: why)
            }
        }
        return .beneath(why: why)
    }

    /// Whether something was not said yet about a reply, since the last save.
    func isNews(_ word: String, in title: String) -> Bool {
        state.withLock { $0.said.insert([title, word]).inserted }
    }

    /// The reply that one comes to for an input; nil where what lies beneath is asked.
    private func resolve(
        _ reply: Reply, of source: String, _ title: String, _ input: ReplyInput, _ why: inout [String]
    ) -> (reply: Reply, title: String)? {
        switch reply.outcome {
        case .cases(let cases):
            for (place, own) in cases.enumerated() {
                let title = "\(title), case \(place + 1)"
                if let misfit = own.condition?.misfit(input) {
                    why.append("\(title): \(misfit)")
                } else {
                    return resolve(own.reply, of: source, title, input, &why)
                }
            }
            return nil
        case .sequence(let replies, let place):
            let sequence = Sequence(source: source, place: place)
            let step = state.withLock { state in
                let step = state.steps[sequence, default: 0]
                if state.sequences.contains(sequence) {
                    state.steps[sequence] = min(step + 1, replies.count - 1)
                }
                return step
            }
            return resolve(replies[step], of: source, "\(title), step \(step + 1)", input, &why)
        case .pass:
            why.append("\(title): $pass")
            return nil
        case .value, .template, .error, .silence, .missing: return (reply, title)
        }
    }
}
