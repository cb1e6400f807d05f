import Synchronization

/// What one exchange takes of a server's ``BodyMemory``: for its request's body, and then for its answer.
///
/// It is given back when this is destroyed. Any thread may change it.
struct BodyShare: ~Copyable, Sendable {
    private let memory: BodyMemory
    private let count = Atomic<Int>(0)

    init(of memory: BodyMemory) { self.memory = memory }

    deinit { giveBack() }

    /// Takes so many bytes in place of those before; for a moment both count, as the old block is still there.
    ///
    /// - Parameter always: takes them whether there is room or not.
    /// - Returns: false when there is no room; then nothing changes.
    func replace(by newCount: Int, always: Bool = false) -> Bool {
        guard memory.take(newCount, always: always) else { return false }
        memory.giveBack(count.exchange(newCount, ordering: .relaxed))
        return true
    }

    /// Takes the difference to the bytes before, or gives it back; one thread at a time.
    ///
    /// - Parameter always: takes it whether there is room or not.
    /// - Returns: false when there is no room; then nothing changes.
    func change(to newCount: Int, always: Bool) -> Bool {
        let more = newCount - count.load(ordering: .relaxed)
        if more > 0 {
            guard memory.take(more, always: always) else { return false }
        } else if more < 0 {
            memory.giveBack(-more)
        }
        count.store(newCount, ordering: .relaxed)
        return true
    }

    func giveBack() {
        // Most exchanges are small, and take nothing.
        guard count.load(ordering: .relaxed) > 0 else { return }
        memory.giveBack(count.exchange(0, ordering: .relaxed))
    }
}

/// Counts bytes that wait for a reader in a server's ``BodyMemory``, while they are more than 64 KB.
///
/// It is a class, because its owners are copied, and a ``BodyShare`` cannot be. One thread at a time changes it.
package final class WaitingBytes: Sendable {
    /// Up to this number bytes do not count, since mostly few wait.
    private static let little = 64 << 10

    private let share: BodyShare

    package init(of memory: BodyMemory) { share = BodyShare(of: memory) }

    /// Sets the number of bytes that wait; returns false where there is no room for them, and then nothing changes.
    package func change(to count: Int) -> Bool { share.change(to: Self.counted(count), always: false) }

    /// Sets the number of bytes that wait, whether there is room or not, as they are in memory already.
    package func changeAnyway(to count: Int) { _ = share.change(to: Self.counted(count), always: true) }

    private static func counted(_ count: Int) -> Int { count > little ? count : 0 }
}
