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
    /// How many bytes they may take together.
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

/// There is no room in the memory for all bodies.
package struct NoRoom: Error, CustomStringConvertible {
    let limit: Int

    package var description: String {
        """
        the bodies of other requests take all the memory there is for them (--memory-for-bodies, now \
        \(limit >> 20) MB); try again soon
        """
    }
}
