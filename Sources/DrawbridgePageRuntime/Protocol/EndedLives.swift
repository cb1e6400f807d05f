/// Lives of pages that are over, remembered so that none of their messages is handled twice.
///
/// Of each page the last one is remembered, for ten minutes, and of so many pages at most.
package struct EndedLives: Sendable {
    package struct Life: Sendable {
        package let number: Int
        /// The number of the last message that was taken.
        package fileprivate(set) var last: Int
        let end: ContinuousClock.Instant
    }

    static let time = Duration.seconds(600)

    /// The most pages that are remembered, about 100 bytes each.
    static let limit = 10_000

    private var lives: [String: Life] = [:]
    /// The ids in the order of their ends; those of pages that ended again are in it twice.
    private var order: [(id: String, end: ContinuousClock.Instant)] = []
    /// The place of the first that is not forgotten; those before it go in one step.
    private var first = 0

    package init() {}

    package subscript(id: String) -> Life? { lives[id] }

    var count: Int { lives.count }

    /// Remembers a life, unless a later one of the page is remembered.
    package mutating func add(_ id: String, life: Int, last: Int, now: ContinuousClock.Instant = .now) {
        forget(now)
        if let known = lives[id], known.number > life { return }
        lives[id] = Life(number: life, last: last, end: now)
        order.append((id, now))
    }

    /// Notes that more messages of a life that is over were taken.
    package mutating func took(_ last: Int, of id: String) { lives[id]?.last = last }

    /// Forgets what is old, and the oldest where there is too much.
    private mutating func forget(_ now: ContinuousClock.Instant) {
        while first < order.count, order[first].end + Self.time < now || order.count - first >= Self.limit {
            let (id, end) = order[first]
            if lives[id]?.end == end { lives[id] = nil }
            first += 1
        }
        guard first > order.count / 2 else { return }
        order.removeFirst(first)
        first = 0
    }
}
