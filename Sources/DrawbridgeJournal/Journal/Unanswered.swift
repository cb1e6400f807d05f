/// The names that nobody has answered since the process began, with the first such calls of each.
struct Unanswered<Call: Sendable>: Sendable {
    private struct Name {
        /// Its place in the order in which the names came.
        let place: Int
        var count = 0
        var calls: [Call] = []
    }

    /// Names come from pages, which may make up any number of them.
    private let mostNames = 1000
    private let mostCalls = 3

    private var names: [String: Name] = [:]
    /// How many calls had further names, when there were too many.
    private(set) var others = 0

    /// - Parameter call: nil for a question that nobody decided, which needs no reply.
    mutating func add(_ name: String, _ call: Call?, isSame: (Call, Call) -> Bool) {
        guard names.count < mostNames || names[name] != nil else {
            others += 1
            return
        }
        var known = names[name] ?? Name(place: names.count)
        known.count += 1
        if let call, known.calls.count < mostCalls, !known.calls.contains(where: { isSame($0, call) }) {
            known.calls.append(call)
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
    var calls: [(name: String, calls: [Call])] {
        names.filter { !$0.value.calls.isEmpty }.sorted { $0.value.place < $1.value.place }
            .map { ($0.key, $0.value.calls) }
    }
}
