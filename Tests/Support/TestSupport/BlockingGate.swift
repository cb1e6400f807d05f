import Glibc
import Synchronization

/// Something that threads wait for, each of them blocked, until it is opened.
package final class BlockingGate: Sendable {
    private let isOpen = Atomic(false)

    package init() {}

    package func close() { isOpen.store(false, ordering: .releasing) }

    package func open() { isOpen.store(true, ordering: .releasing) }

    package func wait() { while !isOpen.load(ordering: .acquiring) { usleep(1000) } }
}
