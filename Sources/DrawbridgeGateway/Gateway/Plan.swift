/// Where a request goes, decided once by its head: refused, to native, or to a responder such as an upstream.
///
/// The engine asks it how to read the body, and the gateway answers by it. It is valid for one head, one caller and one
/// version of the registry; if any of these differs, the request is planned again.
package struct Plan: Sendable {
    /// The request, with the admission by which it was admitted, if it needed one.
    package let request: Request
    let way: Way
    /// The version of the registry (``Registry/version``) for which the plan was made.
    let version: Int

    /// Where a request goes; rare cases are indirect, so that a plan is cheap to copy.
    enum Way {
        /// Not admitted; middleware does not see the request.
        indirect case closed(Response)
        /// Refused: its caller may not call native, or not by such a request.
        indirect case refused(HTTPError)
        indirect case preflight(Response)
        /// Admitted, but decided only after middleware, which may change the request; with the head, if that is cached.
        case undecided(KnownHead?)
        /// To the gateway's own endpoints below `/__drawbridge__/`.
        case own
        case behind
        /// To a handler or a reply; the request no longer has the mark of its bridge.
        case native(Request, Candidate)
    }

    /// Which handler takes a request for native, as far as its head tells.
    enum Candidate: Sendable {
        /// This one: its own rule or its `canInit` has already accepted the request.
        case sure(Route)
        /// This one, unless its `canInit` declines; then the others are asked.
        case likely(Route)
        /// Not known yet: the body may name it, or all handlers of the path are asked, except one that has declined.
        case unknown(declining: Route?)
        /// One of these replies, if one fits; else the candidate `beneath`.
        indirect case replying(ReplyLookup, beneath: Candidate)

        var route: Route? {
            switch self {
            case .sure(let route), .likely(let route): route
            case .unknown: nil
            case .replying(_, let beneath): beneath.route
            }
        }

        /// The route that takes the request, if known; a likely one is asked by `canInit`, which is not asked again.
        func taking(_ plain: Request) -> Route? {
            switch self {
            case .sure(let route): route
            case .likely(let route): route.handler.canInit(with: plain) ? route : nil
            case .unknown, .replying: nil
            }
        }

        /// The route that has declined, and is not asked again after ``taking(_:)`` was nil.
        var declining: Route? {
            switch self {
            case .likely(let route): route
            case .unknown(let declining): declining
            case .sure, .replying: nil
            }
        }
    }

    var isClosed: Bool { if case .closed = way { true } else { false } }

    /// The plan after this route's handler has declined: the other handlers are asked.
    func declined(by route: Route) -> Plan {
        guard case .native(var plain, .likely(let likely)) = way, likely === route else { return self }
        plain.parameters = [:]
        return Plan(request: request, way: .native(plain, .unknown(declining: route)), version: version)
    }

    package enum Stage {
        /// When the engine asks how to read the body: as if there were no middleware.
        case head
        /// When the request has arrived: its admission is decided, and if there is middleware, nothing else.
        ///
        /// The page token is checked only after middleware, which may replace it; checked twice, a wrong token would
        /// count as two guesses.
        case entry
        /// After admission and all middleware.
        case inside
    }
}

extension Gateway {
    /// Decides whether a request is refused, goes to native, or is passed through.
    ///
    /// - Parameter known: where the decision is cached, for later requests with the same head; nil to cache nothing.
    package func plan(
        for request: Request, at stage: Plan.Stage = .head, as known: KnownHead? = nil
    ) -> Plan {
        var request = request
        if request.id.isEmpty { request.id = Request.id(request.headers) }
        // A request that middleware has made has no gateway yet.
        if request.answerer !== self { request.answerer = self }
        // Read before any look-up, so that a handler that is registered meanwhile makes this plan outdated.
        let version = registry.version
        if stage != .inside, let refusal = refusesEntry(of: &request) {
            return Plan(request: request, way: .closed(refusal), version: version)
        }
        if stage == .entry, !middleware.isEmpty {
            return Plan(request: request, way: .undecided(known), version: version)
        }
        guard let known else { return Plan(request: request, way: way(of: request), version: version) }
        if stage == .inside, let decision = decision(about: known, from: request.remoteAddress) {
            var plain = request
            plain.target = decision.target
            let way = Plan.Way.native(plain, .likely(decision.route))
            return Plan(request: request, way: way, version: decision.version)
        }
        let plan = Plan(request: request, way: way(of: request), version: version)
        keep(plan, with: known)
        return plan
    }

    /// Decides where an admitted request goes; nothing else decides that.
    private func way(of request: Request) -> Plan.Way {
        // For a call by a page's WebSocket, access was checked when that was opened.
        if request.channelCall != nil { return native(request) }
        guard let (plain, ruled) = nativeForm(of: request) else { return past(request) }
        if let preflight = preflight(request) { return .preflight(preflight) }
        if !plain.isFromApp, let error = access.refusesCaller(of: plain) { return .refused(error) }
        // A foreign page's speculation rules could start a handler: Chromium sends them with `Sec-Fetch-Site: none`.
        if !request.isAnonymous, request.headers.value(.secPurpose)?.contains("prefetch") == true {
            let message = "a prefetch does not start a handler; send the request when it is needed"
            return .refused(HTTPError(.serviceUnavailable, message))
        }
        guard let ruled else { return self.native(plain) }
        tellOfHidden(by: ruled, request)
        return .native(plain, .sure(ruled))
    }

    private func past(_ request: Request) -> Plan.Way {
        if let preflight = preflight(request) { return .preflight(preflight) }
        if OwnPath.isOwn(request) { return .own }
        guard OwnPath.isMiswritten(request) else { return .behind }
        return .refused(
            HTTPError(.notFound, "nothing at \(request.path.cut(to: 100)); write \(OwnPath.prefix)/…"))
    }

    /// The answer to a preflight; nil for the tester's API, which no page may ask.
    private func preflight(_ request: Request) -> Response? {
        OwnPath(of: request)?.isForTesters == true ? nil : access.preflight(request)
    }

    /// A request for native without the mark of its bridge, and the route whose own rule took it, if one did; nil if it
    /// is not for native, or if this gateway has sent it on itself.
    ///
    /// Every rule gets the result of the one before, so that the marks of all bridges are removed.
    ///
    /// - Parameter byRulesAlone: whether the rules of the gateway are asked, and not those of routes.
    func nativeForm(of request: Request, byRulesAlone: Bool = false) -> (plain: Request, ruled: Route?)? {
        guard request.isAnonymous || !via.isNamed(in: request.headers) else { return nil }
        if !byRulesAlone, let route = ruled.first(for: request) { return (request, route) }
        var plain = request
        var isNative = false
        for rule in rules {
            guard let canonical = rule.canonicalRequest(for: plain) else { continue }
            plain = canonical
            isNative = true
        }
        return isNative ? (plain, nil) : nil
    }

    /// Plans a request for native: the replies for its path, then the first route with that path and method.
    private func native(_ plain: Request) -> Plan.Way {
        guard !plain.isNamedByAction else { return .native(plain, .unknown(declining: nil)) }
        let way = handled(plain)
        let replies = replies(to: plain)
        guard !replies.isEmpty, case .native(let plain, let candidate) = way else { return way }
        return .native(plain, .replying(replies, beneath: candidate))
    }

    private func handled(_ plain: Request) -> Plan.Way {
        let method = plain.method
        if let route = best(plain.path, for: plain), route.takes(method) {
            return .native(plain, .likely(route))
        }
        let fitting = Target.segments(of: plain.path).map { matches($0, for: plain) } ?? []
        guard let (route, values) = fitting.first(where: { $0.route.takes(method) }) else {
            return .native(plain, .unknown(declining: nil))
        }
        return .native(route.named(values, in: plain), .likely(route))
    }
}
