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

    /// Takes what is more than before, or gives back what is less; one thread at a time.
    ///
    /// - Parameter always: takes it whether there is room or not.
    /// - Returns: false when there is no room; then nothing changes.
    func change(to newCount: Int, always: Bool) -> Bool {
        let more = newCount - count.load(ordering: .relaxed)
        if more > 0 {
            if always { memory.takeAnyway(more) } else if !memory.take(more) { return false }
        } else if more < 0 {
            memory.giveBack(-more)
        }
        count.store(newCount, ordering: .relaxed)
        return true
    }

    /// Gives all of it back.
    func giveBack() {
        // Most exchanges are small, and take nothing.
        guard count.load(ordering: .relaxed) > 0 else { return }
        memory.giveBack(count.exchange(0, ordering: .relaxed))
    }
}

/// What waits for a reader, piece after piece, and takes of a server's ``BodyMemory`` while it is more than a little.
///
/// A class, because who has it is copied, and a ``BodyShare`` cannot be. One thread at a time changes it.
package final class WaitingBytes: Sendable {
    /// Up to so many bytes take nothing: most waits are short.
    private static let little = 64 << 10

    private let share: BodyShare

    package init(of memory: BodyMemory) { share = BodyShare(of: memory) }

    /// So many bytes are to wait from now on; false where there is no room for them, and then nothing changes.
    package func change(to count: Int) -> Bool { share.change(to: Self.counted(count), always: false) }

    /// So many bytes wait: they are there already, so they count whether there is room or not.
    package func changeAnyway(to count: Int) { _ = share.change(to: Self.counted(count), always: true) }

    private static func counted(_ count: Int) -> Int { count > little ? count : 0 }
}
