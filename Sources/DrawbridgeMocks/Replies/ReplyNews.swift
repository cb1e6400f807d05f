/// What was said once, since the last save, about replies and about names that nobody answers.
package struct ReplyNews: Sendable {
    private var said: Set<[String]> = []
    private var missed: Set<String> = []
    private var unanswered: [String: Int] = [:]

    /// More names than this are not told apart: pages may say any.
    private static let most = 1000
    private static let mostSaid = 10_000

    /// Whether something was not said yet about a reply.
    mutating func isNews(_ word: String, in title: String) -> Bool {
        said.count < Self.mostSaid && said.insert([title, word]).inserted
    }

    /// The same of a name that a page has read in vain.
    package mutating func isNews(missed name: String) -> Bool {
        missed.count < Self.most && missed.insert(name).inserted
    }

    /// Counts a call that nobody answered.
    ///
    /// - Returns: how often that was; of names beyond those that are told apart, how often it was any of them.
    package mutating func countMissed(_ name: String) -> Int {
        let isKnown = unanswered.count < Self.most || unanswered[name] != nil
        unanswered[isKnown ? name : "", default: 0] += 1
        return unanswered[isKnown ? name : "", default: 0]
    }
}
