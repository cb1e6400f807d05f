extension Recording {
    /// The calls that are not in it.
    struct LeftOut {
        private var reasons: [(reason: Reason, count: Int, names: [String])] = []
        private static let mostReasons = 20
        private static let mostNames = 10

        mutating func add(_ name: String, because reason: Reason) {
            // Media types come from handlers, and there may be many.
            let isOne = reasons.contains { $0.reason == reason } || reasons.count < Self.mostReasons
            let reason = isOne ? reason : .noJSON("something else")
            let place = reasons.firstIndex { $0.reason == reason } ?? reasons.count
            if place == reasons.count { reasons.append((reason, 0, [])) }
            reasons[place].count += 1
            let name = CallCopy.commented(name.cut(to: 60))
            if !reasons[place].names.contains(name), reasons[place].names.count <= Self.mostNames {
                reasons[place].names.append(name)
            }
        }

        /// As comments, one line each.
        var lines: [String] {
            reasons.map { reason, count, names in
                let shown = names.prefix(Self.mostNames).joined(separator: ", ")
                let more = names.count > Self.mostNames ? ", …" : ""
                let calls = count == 1 ? "1 call" : "\(count) calls"
                return "// Left out: \(calls) \(CallCopy.commented(reason.words)): \(shown)\(more)."
            }
        }
    }
}
