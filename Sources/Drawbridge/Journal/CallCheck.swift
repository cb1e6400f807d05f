/// What a test expects to have been called: which name, with what, how often, in which order.
struct CallCheck: Sendable {
    private typealias Count = (range: ClosedRange<Int>, text: String)

    struct Verdict {
        var calls: [JournalRecord] = []
        var isRight = false
        /// Whether calls that are not kept any more could change the result.
        var isUncertain = false
        var sentence = ""
        /// The expected input, and the call that comes closest to it; nil if there is none.
        var nearMiss: JSON?
    }

    /// How long to wait for the calls: a click in a test returns before the page has made its call.
    let seconds: Double
    private let filter: RecordFilter
    private let count: Count
    private let order: [String]
    private let wanted: JSON

    private static let words = [
        "name", "when", "equals", "count", "atLeast", "atMost", "seconds", "order", "state", "unanswered",
        "kind",
    ]
    private static let wordsWithOrder = ["order", "seconds", "kind", "state"]

    init(_ value: LocatedJSON, in session: Session?) throws(ReplyFault) {
        let example = #"{"name": "pay", "when": {"orderNo": 17}, "count": 1}"#
        guard let all = value.members else {
            throw ReplyFault("a check is an object: \(example)", at: value)
        }
        for (name, value) in all where !Self.words.contains(name) {
            throw ReplyFault("unknown key \(name); \(Nearest.hint(for: name, among: Self.words))", at: value)
        }
        let members = Members(all: all)
        filter = try members.filter(in: session)
        let counts = try members.counts()
        guard counts.count <= 1 else {
            throw ReplyFault("only one of count, atLeast and atMost can be given", at: value)
        }
        count = counts.first ?? (1 ... .max, "at least 1")
        let order = try members.read("order", #"names, one after the other: ["login", "pay"]"#) { list in
            let names = list.arrayValue?.compactMap(\.stringValue) ?? []
            return names.isEmpty || names.count < list.arrayValue?.count ?? 0 ? nil : names
        }
        self.order = order?.map(CallName.plain) ?? []
        for (name, value) in all where order != nil && !Self.wordsWithOrder.contains(name) {
            throw ReplyFault("\(name) cannot be checked together with order; check it by itself", at: value)
        }
        seconds =
            try members.read("seconds", "a number up to 600") {
                $0.numberValue?.doubleValue.flatMap { (0...600).contains($0) ? $0 : nil }
            } ?? 0
        wanted = members["when"]?.json ?? members["equals"]?.json ?? .null
    }

    private struct Members {
        let all: [(name: String, value: LocatedJSON)]

        subscript(name: String) -> LocatedJSON? { all.first { $0.name == name }?.value }

        func read<Value>(
            _ name: String, _ kind: String, _ read: (JSON) -> Value?
        ) throws(ReplyFault) -> Value? {
            guard let value = self[name] else { return nil }
            if let read = read(value.json) { return read }
            throw ReplyFault("\(name) must be \(kind)", at: value)
        }

        func filter(in session: Session?) throws(ReplyFault) -> RecordFilter {
            var filter = RecordFilter(session: session)
            filter.name = try read("name", "a text", \.stringValue).map(CallName.plain)
            if let when = self["when"] { filter.when = try ReplyReader.condition(when) }
            if let equals = self["equals"] {
                if filter.when != nil {
                    throw ReplyFault("when and equals are two conditions; keep one", at: equals)
                }
                filter.when = .equals(equals.json)
            }
            let kinds = JournalRecord.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            filter.kinds =
                try read("kind", "one of \(kinds)") { $0.stringValue.flatMap { try? RecordQuery.kinds($0) } }
                ?? filter.kinds
            let states = JournalRecord.State.allCases.map(\.rawValue).joined(separator: ", ")
            filter.state = try read("state", "one of \(states)") {
                $0.stringValue.flatMap(JournalRecord.State.init)
            }
            filter.isUnanswered = self["unanswered"] != nil
            return filter
        }

        func counts() throws(ReplyFault) -> [Count] {
            var counts: [Count] = []
            for name in ["count", "atLeast", "atMost", "unanswered"] {
                let number = try read(name, "a whole number") {
                    $0.numberValue?.intValue.flatMap { $0 < 0 ? nil : $0 }
                }
                switch (name, number) {
                case (_, nil): break
                case ("atLeast", let least?): counts.append((least ... .max, "at least \(least)"))
                case ("atMost", let most?): counts.append((0...most, "at most \(most)"))
                case (_, let exact?): counts.append((exact...exact, "\(exact)"))
                }
            }
            return counts
        }
    }

    /// Waits until the check succeeds, or until no later call can make it succeed; returns the result.
    func verdict(in journal: Journal, _ redaction: Redaction?) async throws(HTTPError) -> Verdict {
        var watch = Journal.Watch(filter) { [filter, order] in
            !filter.fits($0) ? nil : order.isEmpty ? 0 : order.firstIndex(of: $0.name)
        }
        _ = try await journal.wait(for: filter, until: .now + .seconds(seconds)) {
            watch.look(in: journal)
            return isSettled(by: watch.found)
                || watch.hasLost && order.isEmpty && count.range.upperBound < .max
        }
        return order.isEmpty ? verdict(by: watch, in: journal, redaction) : verdictByOrder(in: journal)
    }

    private func isSettled(by found: [(number: Int, place: Int)]) -> Bool {
        guard !order.isEmpty else {
            // With more calls than wanted, further ones cannot make the check succeed.
            return count.range.contains(found.count)
                || filter.state == nil && found.count > count.range.upperBound
        }
        var rest = order.compactMap(order.firstIndex)[...]
        for (_, place) in found where place == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    private func verdict(by watch: Journal.Watch, in journal: Journal, _ redaction: Redaction?) -> Verdict {
        let calls = watch.found.compactMap { journal.record($0.number) }
        let found = calls.count
        let range = count.range
        // Further calls change nothing if "at least" is reached, or if there are too many calls already.
        let isFinal = found > range.upperBound || range.upperBound == .max && found >= range.lowerBound
        let hasLost = watch.hasLost || found < watch.found.count
        var verdict = Verdict(
            calls: calls, isRight: range.contains(found), isUncertain: hasLost && !isFinal)
        guard !verdict.isRight else { return verdict }
        let subject = filter.name ?? (filter.isUnanswered ? "calls that nobody answered" : "calls")
        let such = filter.when == nil ? "" : " with such an input"
        verdict.sentence = "\(subject): \(found) times\(such), wanted \(count.text)"
        var same = filter
        (same.when, same.state, same.isUnanswered) = (nil, nil, false)
        if filter.name == nil, found > 0 {
            let names = Set(calls.map(\.name)).sorted().prefix(20)
            verdict.sentence += ": \(names.joined(separator: ", "))"
        } else if filter.name != nil, journal.read(same, atMost: 1).records.isEmpty {
            verdict.sentence += "; \(journal.called(instead: filter))"
        }
        guard filter.when != nil, !isSettled(by: watch.found) else { return verdict }
        var all = filter
        all.when = nil
        // The last of the calls that do not fit is probably the one that the test has just made.
        guard let nearest = journal.read(all).records.last(where: { filter.misfit(of: $0, nil) != nil }),
            let misfit = filter.misfit(of: nearest, redaction)
        else { return verdict }
        verdict.sentence += "; call \(nearest.number): \(misfit)"
        verdict.nearMiss = ["wanted": wanted, "call": nearest.json(redaction), "misfit": .string(misfit)]
        return verdict
    }

    private func verdictByOrder(in journal: Journal) -> Verdict {
        let page = journal.read(filter)
        var rest = order[...]
        var calls: [JournalRecord] = []
        for record in page.records where record.name == rest.first {
            calls.append(record)
            rest.removeFirst()
        }
        var verdict = Verdict(calls: calls, isRight: rest.isEmpty, isUncertain: page.hasLost && !rest.isEmpty)
        if let missing = rest.first {
            let before = calls.last.map { " after \($0.name), call \($0.number)" } ?? ""
            let names = page.records.map(\.name).suffix(20).joined(separator: ", ")
            verdict.sentence =
                "\(missing) was not called\(before); called: \(names.isEmpty ? "none" : names)"
        }
        return verdict
    }
}
