import Synchronization

// Which handlers a request can reach: the sets of its page, then those of every page.
extension Gateway {
    /// Registers a handler type for every page: every request to the path gets a fresh instance.
    ///
    /// A type with stored properties is made once as a check, so that one that cannot be made is found out here.
    ///
    /// - Parameters:
    ///   - type: a handler with an `init()` or an `init(request:)`.
    ///   - path: exact (`/login`), with parameters (`/user/:id`), or with a wildcard at its end (`/files/*`).
    ///     Registering a path again replaces the handler that takes the same methods; requests under way keep theirs.
    /// - Throws: for a path that no request can have, and for a type that needs more than the request to be made.
    public func register<H: Handler>(_ type: H.Type, at path: String) throws(RegistrationError) {
        try handlers.register(type, at: path)
    }

    /// Registers a closure that makes the handler, for one with dependencies.
    ///
    /// - Throws: for a path that no request can have.
    public func register<H: Handler>(
        at path: String, _ make: @escaping @Sendable () throws -> H
    ) throws(RegistrationError) {
        try handlers.register(at: path, make)
    }

    /// Registers a closure that makes the handler for its request.
    ///
    /// - Throws: for a path that no request can have.
    public func register<H: Handler>(
        at path: String, _ make: @escaping @Sendable (Request) throws -> H
    ) throws(RegistrationError) {
        try handlers.register(at: path, make)
    }

    /// Takes handlers for every page that are called by way of middleware (``HandlerSet/group(_:)``).
    public func group(_ middleware: any Middleware...) -> HandlerSet {
        middleware.reduce(handlers) { $0.group($1) }
    }

    /// Removes the handlers of a path; a request that has its handler already keeps it.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func unregister(_ path: String) -> Bool { handlers.unregister(path) }

    /// The paths that every page can reach with the names of their handlers, sorted.
    public var registered: [(path: String, handler: String)] { handlers.registered }

    /// Registers handlers that only some pages have, before those of every page (contract, section 7).
    ///
    /// ```swift
    /// try gateway.pages(matching: "/checkout/*") { set in
    ///     try set.register(PayHandler.self, at: "/pay")
    /// }
    /// ```
    ///
    /// For other pages such a handler looks unregistered, and so it does for requests that come from no page.
    ///
    /// - Parameters:
    ///   - pattern: the path of the page's address: exact, with parameters, or with a wildcard at its end.
    ///   - register: registers them; a set may be asked for again, and more be added.
    /// - Returns: the set.
    /// - Throws: a ``RegistrationError`` for a pattern that no page's path can fit; what `register` throws.
    @discardableResult
    public func pages(
        matching pattern: String, _ register: (HandlerSet) throws -> Void = { _ in }
    ) throws -> HandlerSet {
        let pattern = try RoutePattern(registering: pattern)
        let set = specialHandlers.withLock { special in
            if let known = special.first(where: { $0.pattern.text == pattern.text }) { return known.set }
            let set = HandlerSet(in: registry, logger: logger)
            special.append((pattern, set))
            return set
        }
        registry.hasBecomeSpecial()
        try register(set)
        return set
    }

    /// The sets of a page at this path, the last registered first, and at last that of every page.
    func handlerSets(ofPageAt path: String?) -> [HandlerSet] {
        guard let path, registry.hasSpecialHandlers,
            let segments = Target.segments(of: path)
        else { return [handlers] }
        let fitting = specialHandlers.withLock { $0.filter { $0.pattern.fits(segments) } }
        return fitting.reversed().map(\.set) + [handlers]
    }

    private func sets(for request: Request) -> [HandlerSet] {
        guard registry.hasSpecialHandlers else { return [handlers] }
        let own = request.page?.state.withLock { $0.handlers }
        return (own.map { [$0] } ?? []) + handlerSets(ofPageAt: request.pagePath)
    }

    func matches(_ segments: [String], for request: Request) -> [(route: Route, values: [String])] {
        sets(for: request).flatMap { $0.matches(segments) }
    }

    func best(_ path: String, for request: Request) -> Route? {
        let method = request.method.rawValue
        guard registry.hasSpecialHandlers else { return handlers.best(path, taking: method) }
        for set in sets(for: request) {
            if let route = set.best(path, taking: method) { return route }
            // A pattern of a special set comes before the plain path of a general one.
            if let segments = Target.segments(of: path), !set.matches(segments).isEmpty { return nil }
        }
        return nil
    }

    /// The pattern that is nearest to a path, of all that the page of a request can reach.
    func nearest(to path: String, for request: Request) -> String? {
        let replies = replyBook.nearest(to: path, in: request.session, ofPageAt: request.pagePath)
        let near = sets(for: request).compactMap { $0.nearest(to: path) } + replies
        return near.min { $0.distance < $1.distance }?.name
    }

    /// The patterns of the pages whose own sets have a handler at a path, where the page that asks is none of them.
    func patternsOfPages(with path: String, otherThan request: Request) -> [String] {
        guard registry.hasSpecialHandlers, let segments = Target.segments(of: path) else {
            return []
        }
        let own = request.pagePath.flatMap(Target.segments)
        return specialHandlers.withLock { $0 }.filter { special in
            own.map { !special.pattern.fits($0) } ?? true && !special.set.matches(segments).isEmpty
        }.map(\.pattern.text).sorted()
    }

    /// The names by which a page at this path can call: paths of handlers and replies without their first slash.
    func names(forPageAt path: String?, in session: Session) -> [String] {
        let handled = handlerSets(ofPageAt: path).flatMap(\.patterns).filter(\.isOnePath)
        let names = replyBook.named(
            besides: Set(handled.map { String($0.text.dropFirst()) }), in: session, ofPageAt: path)
        return names.filter { !$0.isEmpty }.sorted()
    }

    /// Registers a handler with a rule of its own: it is asked about every request, flag or no flag, before the paths.
    ///
    /// Who may call is decided before its handler is made. What that throws has its true status.
    ///
    /// - Parameters:
    ///   - type: names it in the log, and is registered once.
    ///   - rule: whether it takes a request; it may be asked before the body is there, and more than once.
    package func register<H: Handler>(
        ruled type: Any.Type, deadline: Duration?, where rule: @escaping @Sendable (Request) -> Bool,
        _ make: @escaping @Sendable (Request) throws -> H
    ) {
        let name = String(describing: type)
        let route = Route(name, pattern: RoutePattern("/*"), rule: rule, deadline: deadline, make: make)
        ruled.insert(route, for: ObjectIdentifier(type))
    }

    /// Removes what is registered with a rule of its own for a type.
    ///
    /// - Returns: false when there was nothing.
    package func unregister(ruled type: Any.Type) -> Bool { ruled.remove(ObjectIdentifier(type)) }

    /// Whether a request is for native, by its head: then a handler answers it, or an error that there is none.
    package func isNative(_ request: Request) -> Bool {
        guard let (plain, ruled) = nativeForm(of: request) else { return false }
        guard ruled == nil, unhandled == .passThrough, plain.naming == .path else { return true }
        if replies(for: plain).mayAnswer { return true }
        return Target.segments(of: plain.path).map { !matches($0, for: plain).isEmpty } ?? true
    }

    /// Answers the request to which a handler redirects another one, whose caller was let in already.
    @usableFromInline package func redirected(to request: Request) async -> Response {
        var request = request
        request.headers[.pageToken] = access.token.text
        return await inside([], request, nil, by: nil)
    }
}
