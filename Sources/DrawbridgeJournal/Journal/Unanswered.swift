import HTTPTypes

extension Journal {
    /// The names that nobody has answered since the process began, with the first such calls of each.
    struct Unanswered: Sendable {
        private struct Name {
            let place: Int
            var count = 0
            var calls: [JournalRecord] = []
        }

        /// Names come from pages, which may make up any number of them.
        private let mostNames = 1000
        private let mostCalls = 3
        /// Calls are shortened to this, and those with a longer target are left out.
        private let mostBytes = 2 << 10

        private var names: [String: Name] = [:]
        /// How many calls had further names, when there were too many.
        private(set) var others = 0

        /// Adds a call that nobody answered, or one with a question that nobody decided, which needs no reply.
        mutating func add(_ record: JournalRecord) {
            let name = record.name
            guard names.count < mostNames || names[name] != nil else {
                others += 1
                return
            }
            var known = names[name] ?? Name(place: names.count)
            known.count += 1
            // Where only the method was wrong, the name is answered.
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

        /// How often each was called; all further names together as `others`.
        var counts: [String: Int] {
            var counts = names.mapValues(\.count)
            if others > 0 { counts["others", default: 0] += others }
            return counts
        }

        func count(of name: String) -> Int { names[name]?.count ?? 0 }

        /// Calls of each name that nobody answered, in the order in which the names came.
        var calls: [(name: String, calls: [JournalRecord])] {
            names.filter { !$0.value.calls.isEmpty }.sorted { $0.value.place < $1.value.place }
                .map { ($0.key, $0.value.calls) }
        }
    }
}
