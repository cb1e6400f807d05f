import Synchronization

/// Counts what is registered with a gateway, and what is removed, in all its sets.
package final class Registry: Sendable {
    private let changes = Atomic<Int>(0)
    private let special = Atomic<Bool>(false)

    package init() {}

    /// A number that changes with each registration; while it is the same, a route that was found is still right.
    package var version: Int { changes.load(ordering: .acquiring) }

    /// Notes that something was registered or removed.
    package func hasChanged() { changes.add(1, ordering: .releasing) }

    /// Whether some handlers are for some pages only, so that it matters from which page a request comes.
    package var hasSpecialHandlers: Bool { special.load(ordering: .acquiring) }

    /// Notes that a set was made whose handlers are for some pages only.
    package func hasBecomeSpecial() { special.store(true, ordering: .releasing) }
}
