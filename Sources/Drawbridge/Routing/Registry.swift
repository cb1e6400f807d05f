import Synchronization

/// Counts what is registered with a gateway, and what is removed, in all its sets.
final class Registry: Sendable {
    private let changes = Atomic<Int>(0)

    /// Another number after each change: what was found is found again while this stays.
    var version: Int { changes.load(ordering: .acquiring) }

    /// Something was registered or removed.
    func hasChanged() { changes.add(1, ordering: .releasing) }
}
