package import DrawbridgeMessages

package struct FoundReply: Sendable {
    let source: String
    package let name: String
    /// Which reply it is, such as `pay, case 2`, or `pay (offline)` for that of a scenario.
    package let title: String
    package let reply: Reply

    func inner(_ reply: Reply, _ word: String) -> FoundReply {
        FoundReply(source: source, name: name, title: "\(title), \(word)", reply: reply)
    }
}

package struct ReplyLookup: Sendable {
    /// Those that were not asked yet, the next one last.
    private var rest: [FoundReply]
    let session: Session
    /// Why those that were asked did not fit.
    package var why: [String] = []

    package init(_ found: [FoundReply], in session: Session) {
        rest = found.reversed()
        self.session = session
    }

    package var isEmpty: Bool { rest.isEmpty }

    package var lookAtInput: Bool { rest.contains { $0.reply.looksAtInput } }

    /// Whether there is one that answers, if its case fits.
    package var mayAnswer: Bool { rest.contains { !$0.reply.isPass && !$0.reply.isMissing } }

    /// Whether one is for this name, and not for a pattern that fits it.
    package var hasName: Bool { rest.contains { RoutePattern(checking: $0.name)?.isOnePath == true } }

    mutating func next() -> FoundReply? { rest.popLast() }

    /// Goes on with the reply that a person chose, and then with the next layers.
    package mutating func goOn(with choice: (name: String, reply: Reply), of found: FoundReply) {
        rest.append(found.inner(choice.reply, choice.name))
    }
}
