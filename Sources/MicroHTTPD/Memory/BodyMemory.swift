import CLinux
import EventLoop
import Glibc
import Synchronization

/// The memory of a server that large bodies take, all together, and what gives it back to the system afterwards.
///
/// Bodies that are collected count, and answers that no reader has taken yet, each exchange's through a ``BodyShare``;
/// and what waits in a WebSocket and for a page, through ``WaitingBytes``.
/// Without a bound a burst of uploads ends the process: a Swift array that gets no memory is a trap.
package final class BodyMemory: Sendable {
    /// Bytes that they may take together.
    package let limit: Int

    private let taken = Atomic<Int>(0)
    /// Bytes that were given back since the system last got any.
    private let keptByAllocator = Atomic<Int>(0)
    /// When bodies last came or went, in milliseconds of the loops' clock.
    private let lastChange = Atomic<Int>(0)
    private let isReturning = Atomic<Bool>(false)
    /// How often the system got memory back.
    private let returns = Atomic<Int>(0)

    /// Milliseconds without a large body after which the system gets its memory back.
    private static let quiet = 2000
    /// Fewer bytes than this are not worth the work.
    private static let worthReturning = 1 << 20

    package init(limit: Int) { self.limit = limit }

    /// Told to the allocator of the whole process, with its first large body.
    private static let allocatorKeepsMemory: Void = dbl_keep_memory()

    /// Bytes that are taken.
    package var count: Int { taken.load(ordering: .relaxed) }

    /// Whether so many bytes would fit now; they are not kept for whoever asks.
    func hasRoom(for count: Int) -> Bool { count <= limit - self.count }

    /// Takes so many bytes, if they fit.
    func take(_ count: Int) -> Bool {
        let before = taken.add(count, ordering: .relaxed).oldValue
        guard count <= limit - before else {
            taken.subtract(count, ordering: .relaxed)
            return false
        }
        changes()
        return true
    }

    /// Takes so many bytes, whether they fit or not.
    func takeAnyway(_ count: Int) {
        taken.add(count, ordering: .relaxed)
        changes()
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

    /// Gives the system what the allocator keeps, when no large body has come or gone for two seconds; called every
    /// second.
    ///
    /// While bodies follow each other the allocator uses the same pages again, which is faster than new ones. It keeps
    /// them for ever, unless it is told. The work has a thread of its own: a gigabyte takes some tenths of a second.
    func returnIfQuiet() {
        guard keptByAllocator.load(ordering: .relaxed) >= Self.worthReturning,
            Loop.now - lastChange.load(ordering: .relaxed) >= Self.quiet,
            !isReturning.exchange(true, ordering: .acquiring)
        else { return }
        keptByAllocator.store(0, ordering: .relaxed)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        guard pthread_create(&thread, nil, returnMemory, box.toOpaque()) == 0 else {
            box.release()
            return isReturning.store(false, ordering: .releasing)
        }
        pthread_detach(thread)
    }

    /// Gives the system what is left at the end of the calling thread's heap, once after each time that it got the
    /// rest; called every second on the threads that take bodies in.
    ///
    /// - Parameter seen: how often that has been when this thread was here last.
    func returnEndOfHeap(since seen: inout Int) {
        let count = returns.load(ordering: .relaxed)
        guard count != seen else { return }
        seen = count
        dbl_return_end_of_heap()
    }

    fileprivate func returnNow() {
        dbl_return_memory()
        returns.add(1, ordering: .relaxed)
        isReturning.store(false, ordering: .releasing)
    }
}

/// The bodies of all requests together have no room for another.
package struct NoRoom: Error, CustomStringConvertible {
    /// Bytes that they may take.
    let limit: Int

    /// What its caller is told.
    package var description: String {
        """
        the bodies of other requests take all the memory there is for them (--memory-for-bodies, now \
        \(limit >> 20) MB); try again soon
        """
    }
}

/// The body of the thread that gives memory back.
private func returnMemory(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let box else { return nil }
    dbl_name_thread("drawbridge-memory")
    Unmanaged<BodyMemory>.fromOpaque(box).takeRetainedValue().returnNow()
    return nil
}
