import Synchronization

// Registers handlers: for every page, for some pages, and by a rule of their own.
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

    /// Makes a set for every page whose handlers run inside this middleware (``HandlerSet/group(_:)``).
    public func group(_ middleware: any Middleware...) -> HandlerSet {
        middleware.reduce(handlers) { $0.group($1) }
    }

    /// Removes the handlers of a path; a request that has its handler already keeps it.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func unregister(_ path: String) -> Bool { handlers.unregister(path) }

    /// The paths that every page can reach, each with the names of its handlers.
    public var registered: [String: [String]] {
        Dictionary(grouping: handlers.all, by: \.pattern.text).mapValues { $0.map(\.name).sorted() }
    }

    /// Registers handlers that only some pages have, before those of every page (contract, section 7).
    ///
    /// ```swift
    /// try gateway.pages(matching: "/checkout/*") { set in
    ///     try set.register(PayHandler.self, at: "/pay")
    /// }
    /// try gateway.pages(id: "7") { try $0.register(CallHandler.self, at: "/makeACall") }
    /// ```
    ///
    /// For other pages such a handler looks unregistered, and so it does for requests that come from no page.
    ///
    /// - Parameters:
    ///   - pattern: the path of the page's address: exact, with parameters, or with a wildcard at its end; nil for any.
    ///   - id: the id in the page's address (`PageRuntime.pageIDItem`), as in `/shop?pageId=7`; nil for any, or none. Sets
    ///     with an id are asked before those without.
    ///   - register: registers the handlers; another call with the same pattern and id adds more.
    /// - Returns: the set.
    /// - Throws: a ``RegistrationError`` for a pattern that no page's path can fit; what `register` throws.
    @discardableResult
    public func pages(
        matching pattern: String? = nil, id: String? = nil, _ register: (HandlerSet) throws -> Void = { _ in }
    ) throws -> HandlerSet {
        let pattern = try pattern.map { try RoutePattern(registering: $0) }
        let set = specialHandlers.withLock { special in
            if let known = special.first(where: { $0.pattern?.text == pattern?.text && $0.id == id }) {
                return known.set
            }
            let new = SpecialHandlers(
                pattern: pattern, id: id, title: Self.title(pattern?.text ?? "/*", id: id, item: pageIDItem),
                set: HandlerSet(in: registry, logger: logger))
            let place = id == nil ? special.firstIndex { $0.id != nil } : nil
            special.insert(new, at: place ?? special.endIndex)
            return new.set
        }
        registry.hasBecomeSpecial()
        try register(set)
        return set
    }

    /// Registers a handler with a rule instead of a path; the rule is asked about every request, before all paths.
    ///
    /// Access is checked before the handler is made. The handler's errors are sent with their true HTTP status.
    ///
    /// - Parameters:
    ///   - type: gives the handler its name in the log; a second registration of a type replaces the first.
    ///   - rule: whether it takes a request; it may be asked before the body is there, and more than once.
    package func register<H: Handler>(
        ruled type: Any.Type, _ options: HandlerOptions, where rule: @escaping @Sendable (Request) -> Bool,
        _ make: @escaping @Sendable (Request) throws -> H
    ) {
        let name = String(describing: type)
        let route = Route(name, pattern: RoutePattern("/*"), rule: rule, options: options, make: make)
        ruled.insert(route, for: ObjectIdentifier(type))
    }

    /// Removes the handler that was registered with a rule under this type.
    ///
    /// - Returns: false when there was nothing.
    package func unregister(ruled type: Any.Type) -> Bool { ruled.remove(ObjectIdentifier(type)) }
}
