import Synchronization

/// Counts what is registered with a gateway, and what is removed, in all its sets.
package final class Registry: Sendable {
    private let changes = Atomic<Int>(0)
    private let special = Atomic<Bool>(false)

    package init() {}

    /// Another number after each change: as long as it is the same, a route that was found is still the right one.
    package var version: Int { changes.load(ordering: .acquiring) }

    /// Something was registered or removed.
    package func hasChanged() { changes.add(1, ordering: .releasing) }

    /// Whether some handlers are those of some pages only: then it has to be asked from which page a request comes.
    package var hasSpecialHandlers: Bool { special.load(ordering: .acquiring) }

    /// A set was made whose handlers some pages have alone.
    package func hasBecomeSpecial() { special.store(true, ordering: .releasing) }
}
