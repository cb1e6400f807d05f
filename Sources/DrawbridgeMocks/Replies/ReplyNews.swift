/// What was logged since the last reload about replies and unanswered names, so that it is logged once.
package struct ReplyNews: Sendable {
    private var said: Set<[String]> = []
    private var missed: Set<String> = []
    private var unanswered: [String: Int] = [:]

    /// The most names that are counted apart: pages may call any.
    private static let most = 1000
    private static let mostSaid = 10_000

    /// Whether a message about a reply was not logged yet; notes it as logged.
    mutating func isNews(_ word: String, in title: String) -> Bool {
        said.count < Self.mostSaid && said.insert([title, word]).inserted
    }

    /// The same for a name that a page has looked up in vain.
    package mutating func isNews(missed name: String) -> Bool {
        missed.count < Self.most && missed.insert(name).inserted
    }

    /// Counts a call that nobody answered.
    ///
    /// - Returns: how often the name was called; beyond the limit, how often all further names were.
    package mutating func countMissed(_ name: String) -> Int {
        let isKnown = unanswered.count < Self.most || unanswered[name] != nil
        unanswered[isKnown ? name : "", default: 0] += 1
        return unanswered[isKnown ? name : "", default: 0]
    }
}
