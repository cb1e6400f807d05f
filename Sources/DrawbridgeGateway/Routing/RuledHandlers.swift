import Synchronization

/// Handlers that have a rule of their own and no path: they are asked before the paths, the last registered first.
final class RuledHandlers: Sendable {
    private let routes = Mutex<[(type: ObjectIdentifier, route: Route)]>([])
    /// True for most gateways, which have no such handlers; their requests do not need the lock.
    private let isUnused = Atomic<Bool>(true)
    private let registry: Registry

    init(in registry: Registry) { self.registry = registry }

    var isEmpty: Bool { isUnused.load(ordering: .acquiring) }

    /// Adds a route; it replaces the one that was registered for the same type.
    func insert(_ route: Route, for type: ObjectIdentifier) {
        routes.withLock { routes in
            routes.removeAll { $0.type == type }
            routes.append((type, route))
        }
        isUnused.store(false, ordering: .releasing)
        registry.hasChanged()
    }

    func remove(_ type: ObjectIdentifier) -> Bool {
        defer { registry.hasChanged() }
        return routes.withLock { routes in
            let count = routes.count
            routes.removeAll { $0.type == type }
            return routes.count < count
        }
    }

    /// The last registered of those that take the request; nil for a path of the gateway's own, which none may take.
    func first(for request: Request) -> Route? {
        guard !isEmpty, !OwnPath.isOwn(request) else { return nil }
        // Rules are called without the lock, since they are foreign code.
        return routes.withLock { $0 }.last { $0.route.rule?(request) == true }?.route
    }
}
