import CLinux
import Dispatch
import EventLoop
import Synchronization

/// Limits the memory that all large bodies of a server take, and returns it to the system afterwards.
///
/// Collected bodies count, and answers that are not read yet, each exchange's through a ``BodyShare``; and bytes that
/// wait in a WebSocket and for a page, through ``WaitingBytes``.
/// Without a limit a burst of uploads would end the process: Swift traps where an array gets no memory.
package final class BodyMemory: Sendable {
    package let limit: Int

    private let taken = Atomic<Int>(0)
    /// How many bytes were released since memory was last returned to the system.
    private let keptByAllocator = Atomic<Int>(0)
    /// When memory for bodies was last taken or released, in milliseconds of the loops' clock.
    private let lastChange = Atomic<Int>(0)
    private let isReturning = Atomic<Bool>(false)
    private let returns = Atomic<Int>(0)

    /// Milliseconds without a large body after which memory is returned to the system.
    private static let quiet = 2000
    private static let worthReturning = 1 << 20

    package init(limit: Int) { self.limit = limit }

    /// Configures the allocator of the whole process, once, with the first large body.
    private static let allocatorKeepsMemory: Void = dbl_keep_memory()

    package var count: Int { taken.load(ordering: .relaxed) }

    /// Whether so many bytes would fit now; it does not reserve them.
    func hasRoom(for count: Int) -> Bool { count <= limit - self.count }

    /// Takes so many bytes, if they fit, or `always`.
    func take(_ count: Int, always: Bool) -> Bool {
        let before = taken.add(count, ordering: .relaxed).oldValue
        guard always || count <= limit - before else {
            taken.subtract(count, ordering: .relaxed)
            return false
        }
        changes()
        return true
    }

    private func changes() {
        Self.allocatorKeepsMemory
        lastChange.store(Loop.now, ordering: .relaxed)
    }

    func giveBack(_ count: Int) {
        taken.subtract(count, ordering: .relaxed)
        keptByAllocator.add(count, ordering: .relaxed)
        changes()
    }

    /// Returns what the allocator keeps to the system, when no large body has come or gone for two seconds; called
    /// every second.
    ///
    /// While bodies follow each other the allocator uses the same pages again, which is faster than new ones. It keeps
    /// them for ever, unless it is told. The work has a thread of its own: a gigabyte takes some tenths of a second.
    func returnIfQuiet() {
        guard keptByAllocator.load(ordering: .relaxed) >= Self.worthReturning,
            Loop.now - lastChange.load(ordering: .relaxed) >= Self.quiet,
            !isReturning.exchange(true, ordering: .acquiring)
        else { return }
        keptByAllocator.store(0, ordering: .relaxed)
        DispatchQueue(label: "drawbridge.memory").async { [self] in
            dbl_return_memory()
            returns.add(1, ordering: .relaxed)
            isReturning.store(false, ordering: .releasing)
        }
    }

    /// Returns the free end of the calling thread's heap to the system, once after each return of the rest; called
    /// every second on the threads that receive bodies.
    ///
    /// - Parameter seen: the number of returns at this thread's last call.
    func returnEndOfHeap(since seen: inout Int) {
        let count = returns.load(ordering: .relaxed)
        guard count != seen else { return }
        seen = count
        dbl_return_end_of_heap()
    }
}

package struct NoRoom: Error, CustomStringConvertible {
    let limit: Int

    package var description: String {
        """
        the bodies of other requests take all the memory there is for them (--memory-for-bodies, now \
        \(limit >> 20) MB); try again soon
        """
    }
}

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

    /// Does the same by taking the difference to the bytes before, or giving it back; one thread at a time.
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
