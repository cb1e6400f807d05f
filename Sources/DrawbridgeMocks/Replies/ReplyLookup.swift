package struct FoundReply: Sendable {
    package let source: String
    package let name: String
    /// The reply's name for the log, such as `pay, case 2`, or `pay (offline)` for a reply of a scenario.
    package let title: String
    package let reply: Reply

    func inner(_ reply: Reply, _ word: String) -> FoundReply {
        FoundReply(source: source, name: name, title: "\(title), \(word)", reply: reply)
    }
}

package struct ReplyLookup: Sendable {
    /// The replies that were not asked yet, in reverse order: the next one is the last.
    private var rest: [FoundReply]
    let session: Session
    /// Whether it only asks what would answer: no sequence advances.
    package var isTrial = false
    /// Why each reply that was asked did not answer.
    package var why: [String] = []

    package init(_ found: [FoundReply], in session: Session) {
        rest = found.reversed()
        self.session = session
    }

    package var isEmpty: Bool { rest.isEmpty }

    package var lookAtInput: Bool { rest.contains { $0.reply.looksAtInput } }

    package var mayAnswer: Bool { rest.contains { !$0.reply.isPass && !$0.reply.isMissing } }

    /// Whether a remaining reply is for exactly this name, and not for a pattern that matches it.
    package var hasName: Bool { rest.contains { RoutePattern(checking: $0.name)?.isOnePath == true } }

    mutating func next() -> FoundReply? { rest.popLast() }

    /// Continues with the reply that the tester chose, and after it with the next layers.
    package mutating func goOn(with choice: (name: String, reply: Reply), of found: FoundReply) {
        rest.append(found.inner(choice.reply, choice.name))
    }
}
