/// Ended lives of pages, remembered so that no message of such a life is handled twice.
///
/// Only the last ended life of a page is remembered, for ten minutes, and at most for ``limit`` pages.
package struct EndedLives: Sendable {
    package struct Life: Sendable {
        package let number: Int
        /// The number of the last message that was handled.
        package fileprivate(set) var last: Int
        let end: ContinuousClock.Instant
    }

    static let time = Duration.seconds(600)

    /// The most pages that are remembered; each takes about 100 bytes.
    static let limit = 10_000

    private var lives: [String: Life] = [:]
    /// The ids in the order in which lives ended; a page with several ended lives is listed several times.
    private var order: [(id: String, end: ContinuousClock.Instant)] = []
    /// The index of the first remembered entry; the entries before it are removed together, later.
    private var first = 0

    package init() {}

    package subscript(id: String) -> Life? { lives[id] }

    var count: Int { lives.count }

    /// Remembers an ended life, unless a later life of the page is already remembered.
    package mutating func add(_ id: String, life: Int, last: Int, now: ContinuousClock.Instant = .now) {
        forget(now)
        if let known = lives[id], known.number > life { return }
        lives[id] = Life(number: life, last: last, end: now)
        order.append((id, now))
    }

    /// Records that later messages of an ended life were handled.
    package mutating func took(_ last: Int, of id: String) { lives[id]?.last = last }

    /// Removes lives that ended too long ago, and the oldest ones beyond the limit.
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
