import Synchronization

package struct SpecialHandlers: Sendable {
    /// Of their paths; nil for all.
    let pattern: RoutePattern?
    /// The id in their addresses; nil for all.
    let id: String?
    package let title: String
    package let set: HandlerSet

    func fits(_ segments: [String], id: String?) -> Bool {
        (self.id == nil || self.id == id) && pattern?.fits(segments) != false
    }
}

/// Handlers by path: those for every page, those for some pages, or a group of these inside its own middleware.
///
/// Sets are for order, not for protection: pages of one origin can read each other.
public final class HandlerSet: Sendable {
    private final class Table: Sendable {
        let routes = Mutex(Routes<Route>())
    }

    private let table: Table
    private let registry: Registry
    private let middleware: [any Middleware]
    private let logger: Logger

    convenience init(in registry: Registry, logger: Logger) {
        self.init(Table(), in: registry, [], logger)
    }

    private init(
        _ table: Table, in registry: Registry, _ middleware: [any Middleware], _ logger: Logger
    ) {
        self.table = table
        self.registry = registry
        self.middleware = middleware
        self.logger = logger
    }

    /// Registers a handler type in this set, as ``Gateway/register(_:at:)`` does for every page.
    ///
    /// - Throws: a ``RegistrationError`` in the same cases.
    public func register<H: Handler>(_ type: H.Type, at path: String) throws(RegistrationError) {
        let route = try route(at: path) { try H(request: $0) }
        // A type without stored properties needs no check.
        if MemoryLayout<H>.size > 0 {
            do {
                _ = try H(request: route.named(route.pattern.names.map { _ in "1" }, in: Request(path)))
            } catch let error as MissingInitializer {
                throw RegistrationError(path, "\(error)")
            } catch {
                // Any other error is about this sample request: the type itself can be made.
            }
        }
        add(route)
    }

    /// Registers a closure that makes the handler, for one with dependencies.
    ///
    /// - Throws: a ``RegistrationError`` if the path is not a pattern.
    public func register<H: Handler>(
        at path: String, _ make: @escaping @Sendable () throws -> H
    ) throws(RegistrationError) {
        add(try route(at: path) { _ in try make() })
    }

    /// Registers a closure that makes the handler for its request.
    ///
    /// - Throws: a ``RegistrationError`` if the path is not a pattern.
    public func register<H: Handler>(
        at path: String, _ make: @escaping @Sendable (Request) throws -> H
    ) throws(RegistrationError) {
        add(try route(at: path, make))
    }

    /// The same set of handlers, but those that are registered with the result run inside this middleware.
    ///
    /// ```swift
    /// let members = gateway.group(NeedsLogin())
    /// try members.register(OrdersHandler.self, at: "/orders")
    /// ```
    ///
    /// It is called inside the gateway's own middleware, and sees a request as its handler gets it: without the flag, with
    /// ``Request/parameters``. What it throws is answered as an error of the handler's.
    ///
    /// - Parameter middleware: the outermost first; all of it runs inside the middleware of this set.
    public func group(_ middleware: any Middleware...) -> HandlerSet {
        HandlerSet(table, in: registry, self.middleware + middleware, logger)
    }

    /// Removes the handlers of a path; a request that has its handler already keeps it.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func unregister(_ path: String) -> Bool {
        guard let pattern = RoutePattern(checking: path) else { return false }
        defer { registry.hasChanged() }
        return !table.routes.withLock { $0.remove(pattern) }.isEmpty
    }

    private func route<H: Handler>(
        at path: String, _ make: @escaping @Sendable (Request) throws -> H
    ) throws(RegistrationError) -> Route {
        Route(pattern: try RoutePattern(registering: path), within: middleware, make: make)
    }

    private func add(_ route: Route) {
        let replaced = table.routes.withLock { $0.insert(route) }
        registry.hasChanged()
        for old in replaced { logger.notice("\(route.pattern.text): \(route.name) replaces \(old.name)") }
    }

    package func matches(_ segments: [String]) -> [(route: Route, values: [String])] {
        table.routes.withLock { $0.matches(segments) }
    }

    func best(_ path: String, taking method: HTTPRequest.Method) -> Route? {
        table.routes.withLock { $0.best(path) }?.first { $0.takes(method) }
    }

    func nearest(to path: String) -> Nearest.Found? { table.routes.withLock { $0 }.nearest(to: path) }

    package var all: [Route] { table.routes.withLock { $0.all } }
}
