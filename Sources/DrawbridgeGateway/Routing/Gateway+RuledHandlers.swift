extension Gateway {
    /// Registers a handler with a rule of its own: it is asked about every request, flag or no flag, before the paths.
    ///
    /// Who may call is decided before its handler is made. What that throws has its true status.
    ///
    /// - Parameters:
    ///   - type: names it in the log, and is registered once.
    ///   - deadline: how long its answers may take; nil: as long as they take.
    ///   - rule: whether it takes a request; it may be asked before the body is there, and more than once.
    ///   - make: makes the instance for a request.
    package func register<H: Handler>(
        ruled type: Any.Type, deadline: Duration?, where rule: @escaping @Sendable (Request) -> Bool,
        _ make: @escaping @Sendable (Request) throws -> H
    ) {
        let name = String(describing: type)
        let route = Route(name, RoutePattern("/*"), rule: rule, deadline: deadline, make: make)
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
