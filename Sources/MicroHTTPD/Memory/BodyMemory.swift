import CLinux
import Dispatch
import Synchronization

/// Limits the memory that all large bodies of a server use, and returns freed memory to the system.
///
/// It counts collected request bodies and unread responses (``BodyShare``), and bytes waiting in WebSockets and for
/// pages (``WaitingBytes``). Without a limit a burst of uploads would end the process, because Swift traps without
/// memory.
package final class BodyMemory: Sendable {
    package let limit: Int

    private let taken = Atomic<Int>(0)
    /// The bytes released since memory was last returned to the system.
    private let keptByAllocator = Atomic<Int>(0)
    /// The time of the last reservation or release, by ``Loop/now``.
    private let lastChange = Atomic<Int>(0)
    private let isReturning = Atomic<Bool>(false)
    private let returns = Atomic<Int>(0)

    /// Milliseconds without a reservation or release, after which memory is returned to the system.
    private static let quiet = 2000
    private static let worthReturning = 1 << 20

    package init(limit: Int) { self.limit = limit }

    /// Configures the process's allocator to keep freed memory, once, with the first large body.
    private static let allocatorKeepsMemory: Void = dbl_keep_memory()

    package var count: Int { taken.load(ordering: .relaxed) }

    /// Whether this number of bytes would fit now; reserves nothing.
    func hasRoom(for count: Int) -> Bool { count <= limit - self.count }

    /// Reserves bytes, if they fit or with `always`; returns whether it did.
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

    /// Returns freed memory to the system after two seconds without large bodies; called every second.
    ///
    /// While bodies follow each other, the allocator reuses its pages, which is faster than new ones; without this call
    /// it would never return them. It runs on a queue of its own, because a gigabyte takes some tenths of a second.
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

    /// Returns the free end of the calling thread's heap to the system, once after each ``returnIfQuiet()`` that did
    /// so; called every second on each thread that receives bodies.
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
        the bodies of other requests use all the memory for bodies (--memory-for-bodies, now \
        \(limit >> 20) MB); try again soon
        """
    }
}

/// The bytes that one exchange reserves in a server's ``BodyMemory``: for its request body, then for its response.
///
/// They are released when this is destroyed. Any thread may change it.
struct BodyShare: ~Copyable, Sendable {
    private let memory: BodyMemory
    private let count = Atomic<Int>(0)

    init(of memory: BodyMemory) { self.memory = memory }

    deinit { giveBack() }

    /// Replaces the reserved number of bytes; for a moment both numbers are counted, since the old block still exists.
    ///
    /// - Parameter always: reserves even above the limit.
    /// - Returns: false if the limit is reached; then nothing has changed.
    func replace(by newCount: Int, always: Bool = false) -> Bool {
        guard memory.take(newCount, always: always) else { return false }
        memory.giveBack(count.exchange(newCount, ordering: .relaxed))
        return true
    }

    /// Like `replace(by:always:)`, but reserves or releases only the difference; for one thread at a time.
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

    /// More bytes than this do not stay in a processor's caches until they are read.
    private static let cached = 8 << 20

    /// Copies bytes of a body into its memory.
    ///
    /// Past the caches if it is large and all bodies together are more than they hold.
    func copy(_ bytes: UnsafeRawBufferPointer, to body: inout [UInt8], at place: Int) {
        let isPastCaches = body.count > 64 << 10 && memory.count > Self.cached
        precondition(bytes.count <= body.count - place)
        body.withUnsafeMutableBytes {
            dbl_copy($0.baseAddress! + place, bytes.baseAddress, bytes.count, isPastCaches)
        }
    }

    func giveBack() {
        // Checked first, because most exchanges are small and reserve nothing.
        guard count.load(ordering: .relaxed) > 0 else { return }
        memory.giveBack(count.exchange(0, ordering: .relaxed))
    }
}

/// Counts bytes that wait for a reader in a server's ``BodyMemory``, if they are more than 64 KB.
///
/// A class, because its owners are copyable and ``BodyShare`` is not. For one thread at a time.
package final class WaitingBytes: Sendable {
    /// Up to this number bytes are not counted, which is the usual case.
    private static let little = 64 << 10

    private let share: BodyShare

    package init(of memory: BodyMemory) { share = BodyShare(of: memory) }

    /// Sets the number of waiting bytes; returns false above the limit; then nothing has changed.
    package func change(to count: Int) -> Bool { share.change(to: Self.counted(count), always: false) }

    /// Sets the number of waiting bytes even above the limit, because they are already in memory.
    package func changeAnyway(to count: Int) { _ = share.change(to: Self.counted(count), always: true) }

    private static func counted(_ count: Int) -> Int { count > little ? count : 0 }
}
