extension Journal {
    /// The names that were not answered since the start, each with its first such calls.
    struct Unanswered: Sendable {
        private struct Name {
            let place: Int
            var count = 0
            var calls: [JournalRecord] = []
        }

        /// The limit is needed because pages can call any number of names.
        private let mostNames = 1000
        private let mostCalls = 3
        /// The size to which a call is cut; a call whose target is longer is not kept.
        private let mostBytes = 2 << 10

        private var names: [String: Name] = [:]
        /// How many calls had names beyond ``mostNames``.
        private(set) var others = 0

        /// Adds a call without an answer; one whose question nobody answered needs no mock, and is only counted.
        mutating func add(_ record: JournalRecord) {
            let name = record.name
            guard names.count < mostNames || names[name] != nil else {
                others += 1
                return
            }
            var known = names[name] ?? Name(place: names.count)
            known.count += 1
            // With 405 the name does have a handler, only for another method, so it needs no mock.
            let isForAReply = record.code != 405 && ![.head, .options].contains(record.head.method)
            if record.by == .nobody, isForAReply, known.calls.count < mostCalls,
                record.head.target.utf8.count <= mostBytes
            {
                let call = record.shortened(to: mostBytes)
                let isKnown = known.calls.contains {
                    $0.input.bytes == call.input.bytes && $0.head.target == call.head.target
                }
                if !isKnown { known.calls.append(call) }
            }
            names[name] = known
        }

        /// The number of calls by name; those beyond the limit are counted as `others`.
        var counts: [String: Int] {
            var counts = names.mapValues(\.count)
            if others > 0 { counts["others", default: 0] += others }
            return counts
        }

        func count(of name: String) -> Int { names[name]?.count ?? 0 }

        /// The unanswered calls by name, in the order in which the names were first called.
        var calls: [(name: String, calls: [JournalRecord])] {
            names.filter { !$0.value.calls.isEmpty }.sorted { $0.value.place < $1.value.place }
                .map { ($0.key, $0.value.calls) }
        }
    }
}
