import Logging
import Synchronization

/// Handlers by path: those of every page, or those that only some pages have.
///
/// Sets organise, they do not protect: pages of one origin can read each other.
public final class HandlerSet: Sendable {
    private let routes = Mutex(Routes<Route>())
    private let registry: Registry
    private let logger: Logger

    init(in registry: Registry, logger: Logger) {
        self.registry = registry
        self.logger = logger
    }

    /// Registers a handler type: every request to the path gets a fresh instance.
    ///
    /// - Parameters:
    ///   - type: a handler with an `init()` or an `init(request:)`.
    ///   - path: exact (`/login`), with parameters (`/user/:id`), or with a wildcard at its end (`/files/*`).
    ///     Registering a path again replaces its handler; requests under way keep theirs.
    public func register<H: Handler>(_ type: H.Type, at path: String) {
        add(Route(pattern: RoutePattern(path)) { try H(request: $0) })
    }

    /// Registers a closure that makes the handler, for one with dependencies.
    public func register<H: Handler>(at path: String, _ make: @escaping @Sendable () throws -> H) {
        add(Route(pattern: RoutePattern(path)) { _ in try make() })
    }

    /// Registers a closure that makes the handler for its request.
    public func register<H: Handler>(at path: String, _ make: @escaping @Sendable (Request) throws -> H) {
        add(Route(pattern: RoutePattern(path), make: make))
    }

    /// Removes the handler of a path; a request that has its handler already keeps it.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func unregister(_ path: String) -> Bool {
        defer { registry.hasChanged() }
        return routes.withLock { $0.remove(RoutePattern(path)) } != nil
    }

    /// The registered paths with the names of their handlers, sorted.
    public var registered: [(path: String, handler: String)] {
        routes.withLock { $0.all }.map { ($0.pattern.text, $0.name) }.sorted { $0.path < $1.path }
    }

    private func add(_ route: Route) {
        let old = routes.withLock { $0.insert(route) }
        registry.hasChanged()
        guard let old else { return }
        logger.notice("\(route.pattern.text): \(route.name) replaces \(old.name)")
    }

    func matches(_ segments: [String]) -> [(route: Route, values: [String])] {
        routes.withLock { $0.matches(segments) }
    }

    func best(_ path: String) -> Route? { routes.withLock { $0.best(path) } }

    /// All routes, in no order.
    var all: [Route] { routes.withLock { $0.all } }

    var patterns: [RoutePattern] { routes.withLock { $0.all.map(\.pattern) } }
}
