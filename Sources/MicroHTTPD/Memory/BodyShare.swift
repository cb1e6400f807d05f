import Synchronization

/// What one exchange takes of a server's ``BodyMemory``: for its request's body, and then for its answer.
///
/// Given back when this is let go of. Any thread may change it.
struct BodyShare: ~Copyable, Sendable {
    private let memory: BodyMemory
    private let count = Atomic<Int>(0)

    /// A share of nothing, to grow.
    init(of memory: BodyMemory) { self.memory = memory }

    deinit { giveBack() }

    /// Takes so many bytes in place of those before, whose block is still there while it is copied.
    ///
    /// Returns false when there is no room, and changes nothing.
    func replace(by newCount: Int) -> Bool {
        guard memory.take(newCount) else { return false }
        memory.giveBack(count.exchange(newCount, ordering: .relaxed))
        return true
    }

    /// The same, whether there is room or not.
    func replaceAnyway(by newCount: Int) {
        memory.takeAnyway(newCount)
        memory.giveBack(count.exchange(newCount, ordering: .relaxed))
    }

    /// Gives all of it back.
    func giveBack() {
        // Most exchanges are small, and take nothing.
        guard count.load(ordering: .relaxed) > 0 else { return }
        memory.giveBack(count.exchange(0, ordering: .relaxed))
    }
}

/// What a streamed answer takes while it waits for its reader, where that is more than a little.
///
/// A class, because an ``Outgoing`` is copied and a ``BodyShare`` cannot be.
final class UntakenBytes: Sendable {
    private let share: BodyShare

    init(of memory: BodyMemory) { share = BodyShare(of: memory) }

    /// So many bytes wait for their reader now.
    ///
    /// They are there already, so they count whether there is room or not.
    func are(_ count: Int) { share.replaceAnyway(by: count) }
}
