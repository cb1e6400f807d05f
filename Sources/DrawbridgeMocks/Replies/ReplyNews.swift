/// The messages about replies and unanswered names since the last reload, so that each is logged only once.
package struct ReplyNews: Sendable {
    private var said: Set<[String]> = []
    private var missed: Set<String> = []
    private var unanswered: [String: Int] = [:]

    /// The most names that are counted one by one; it is limited because pages may call any name.
    private static let most = 1000
    private static let mostSaid = 10_000

    /// Whether a message about a reply was not logged yet; notes it as logged.
    mutating func isNews(_ word: String, in title: String) -> Bool {
        said.count < Self.mostSaid && said.insert([title, word]).inserted
    }

    /// Whether the message that a page looked for a name in vain was not logged yet; marks it as logged.
    package mutating func isNews(missed name: String) -> Bool {
        missed.count < Self.most && missed.insert(name).inserted
    }

    /// Counts a call that nobody answered.
    ///
    /// - Returns: how often this name was called. After ``most`` names, all further names are counted as one.
    package mutating func countMissed(_ name: String) -> Int {
        let isKnown = unanswered.count < Self.most || unanswered[name] != nil
        unanswered[isKnown ? name : "", default: 0] += 1
        return unanswered[isKnown ? name : "", default: 0]
    }
}
