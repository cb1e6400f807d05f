/// What one body takes of a server's ``BodyMemory``; given back when this is let go of.
///
/// One loop changes it, and whoever lets go of it last may be another thread.
final class BodyShare {
    private let memory: BodyMemory
    private(set) var count = 0

    /// A share of nothing, to grow.
    init(of memory: BodyMemory) { self.memory = memory }

    deinit { memory.giveBack(count) }

    /// Takes a block of so many bytes in place of the one before, which is still there while it is copied.
    ///
    /// Returns false when there is no room, and changes nothing.
    func replace(by newCount: Int) -> Bool {
        guard memory.take(newCount) else { return false }
        memory.giveBack(count)
        count = newCount
        return true
    }

    /// The same, whether there is room or not.
    func replaceAnyway(by newCount: Int) {
        memory.takeAnyway(newCount)
        memory.giveBack(count)
        count = newCount
    }
}
