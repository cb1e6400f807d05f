import HTTPTypes

/// What a gateway makes of a request, decided once on its head: refused, for native, or for what lies behind.
///
/// The engine asks it what becomes of the body, and the gateway answers by it. It holds for the bytes of one head, its
/// caller, and what was registered then; where one of these differs, the gateway decides anew.
package struct Plan: Sendable {
    /// The request, with the admission that let it in if one did.
    package let request: Request
    let way: Way
    /// What was registered then (``Registry/version``).
    let version: Int

    /// Where a request goes; rare cases are indirect, so that a plan is cheap to copy.
    enum Way {
        /// It is not let in, and middleware does not see it.
        indirect case closed(Response)
        /// Its caller may not call native, or not in this way.
        indirect case refused(HTTPError)
        indirect case preflight(Response)
        /// It was let in, and middleware comes first, which may change it; its head, where that is a known one.
        case undecided(KnownHead?)
        /// To the gateway itself: what is below `/__drawbridge__/`, and nobody else's.
        case own
        case behind
        /// To a handler, in its plain form.
        case native(Request, Taker)
    }

    /// Which handler takes a request for native, as far as its head tells.
    enum Taker: Sendable {
        /// This one, whose own rule has taken the request, or whose `canInit` has already.
        case sure(Route)
        /// This one, unless its `canInit` declines; then the others are asked.
        case likely(Route)
        /// Not known yet: the body may name it, or all handlers of the path are asked, except one that has declined.
        case unknown(declining: Route?)
        /// One of these replies, where one fits; else the one beneath.
        indirect case replying(ReplyLookup, beneath: Taker)

        var route: Route? {
            switch self {
            case .sure(let route), .likely(let route): route
            case .unknown: nil
            case .replying(_, let beneath): beneath.route
            }
        }

        /// The route whose handler takes a request: a likely one is asked that, and must not be asked again.
        func taking(_ plain: Request) -> Route? {
            switch self {
            case .sure(let route): route
            case .likely(let route): route.handler.canInit(with: plain) ? route : nil
            case .unknown, .replying: nil
            }
        }

        /// The route that is not asked again where ``taking(_:)`` was nil.
        var declining: Route? {
            switch self {
            case .likely(let route): route
            case .unknown(let declining): declining
            case .sure, .replying: nil
            }
        }
    }

    init(_ request: Request, _ way: Way, version: Int) {
        self.request = request
        self.way = way
        self.version = version
    }

    var isClosed: Bool { if case .closed = way { true } else { false } }

    /// The plan after this route's handler has declined: the others are asked.
    func declined(by route: Route) -> Plan {
        guard case .native(var plain, .likely(let likely)) = way, likely === route else { return self }
        plain.parameters = [:]
        return Plan(request, .native(plain, .unknown(declining: route)), version: version)
    }

    fileprivate func with(_ body: Request.Body) -> Plan {
        var (request, way) = (request, way)
        request.body = body
        if case .native(var plain, let taker) = way {
            plain.body = body
            way = .native(plain, taker)
        }
        return Plan(request, way, version: version)
    }
}

extension Plan {
    /// When a gateway decides about a request.
    package enum Stage {
        /// Where an engine asks about the body: as if no middleware changed it.
        case head
        /// When it has come: whether it is let in, and with middleware no more.
        ///
        /// The caller is checked only after middleware: checked twice, a wrong token would count as two guesses, and one
        /// that middleware replaces as one.
        case entry
        /// When it was let in, and has come through all middleware.
        case inside
    }
}

extension Gateway {
    /// Decides about a request anew.
    ///
    /// - Parameter known: its head, where later requests with the same are to be decided about by that.
    package func plan(
        for request: Request, at stage: Plan.Stage = .head, as known: KnownHead? = nil
    ) -> Plan {
        var request = request
        if request.id.isEmpty { request.id = Request.id(request.headers) }
        // A request that middleware has made has no gateway yet.
        if request.answerer !== self { request.answerer = self }
        // Read before anything is looked up: what is registered meanwhile makes the plan an old one.
        let version = registry.version
        if stage != .inside, let refusal = refusesEntry(of: &request) {
            return Plan(request, .closed(refusal), version: version)
        }
        if stage == .entry, !middleware.isEmpty {
            return Plan(request, .undecided(known), version: version)
        }
        guard let known else { return Plan(request, way(of: request), version: version) }
        if stage == .inside, let decision = decision(about: known, from: request.remoteAddress) {
            var plain = request
            plain.target = decision.target
            return Plan(request, .native(plain, .likely(decision.route)), version: decision.version)
        }
        let plan = Plan(request, way(of: request), version: version)
        keep(plan, with: known)
        return plan
    }

    /// Decides on a loop's thread about a request that has come: as about the last one with the same head, where that
    /// still holds, else anew.
    package func plan(
        for known: KnownHead, _ body: Request.Body, from remoteAddress: String?,
        at localAddress: String? = nil, on loop: any HandlerLoop
    ) -> Plan {
        assert(loop.isCurrent, "what a loop knows of a head was asked for on another thread")
        let (head, id) = (known.head, Request.id(known.head))
        let decision = decision(about: known, from: remoteAddress)
        if let decision, middleware.isEmpty {
            let plain = Request(
                head, target: decision.target, body: body, remoteAddress: remoteAddress, id: id,
                answerer: self)
            if decision.route.handler.canInit(with: plain) {
                return Plan(plain, .native(plain, .sure(decision.route)), version: decision.version)
            }
        }
        let request = Request(
            head, body: body, remoteAddress: remoteAddress, localAddress: localAddress, id: id,
            answerer: self)
        guard let decision else { return plan(for: request, at: .entry, as: known) }
        // Decisions are kept only for requests from this machine that were let in. The same bytes from the same address
        // would be let in again, so that is not checked.
        return middleware.isEmpty
            ? plan(for: request, at: .entry).declined(by: decision.route)
            : Plan(request, .undecided(known), version: decision.version)
    }

    func decision(about known: KnownHead, from remoteAddress: String?) -> Decision? {
        guard let decision = known.decision, decision.remoteAddress == remoteAddress,
            decision.version == registry.version
        else { return nil }
        return decision
    }

    /// Keeps what was decided with the head, for the next request that has it.
    ///
    /// Nothing is kept where a user's own rules may change more than the target, or some handlers are for some pages
    /// only.
    ///
    /// Callers on other machines are checked each time, since their admission may have ended.
    func keep(_ plan: Plan, with known: KnownHead) {
        guard case .native(let plain, .likely(let route)) = plan.way, plain.parameters.isEmpty,
            access.isFromThisMachine(plain), plain.site?.isLocal != false, hasUsualRules,
            !registry.hasSpecialHandlers, ruled.isEmpty
        else { return }
        known.decision = Decision(plain, route, version: plan.version)
    }

    /// A plan of the head, now that the body is there, or its stream; nil where the gateway has to decide anew.
    ///
    /// It has to where something was registered or removed meanwhile, and for all callers on other machines: their
    /// admission may have ended while they were sending.
    package func kept(_ plan: Plan, with body: Request.Body) -> Plan? {
        isStillRight(plan) && access.isFromThisMachine(plan.request) ? plan.with(body) : nil
    }

    /// Whether nothing was registered or removed since.
    func isStillRight(_ plan: Plan) -> Bool { plan.version == registry.version }

    /// Decides where a request goes that was let in; nothing else decides that.
    private func way(of request: Request) -> Plan.Way {
        // A page's call by its channel: access was checked for the channel as a whole.
        if request.channelCall != nil { return native(request) }
        guard let (plain, ruled) = nativeForm(of: request) else { return past(request) }
        if let preflight = preflight(request) { return .preflight(preflight) }
        if !plain.isFromApp, let error = access.refusesCaller(of: plain) { return .refused(error) }
        // Nothing else stops a foreign page's speculation rule: Chromium sends it with `Sec-Fetch-Site: none`.
        if !request.isAnonymous, request.headers.value(.secPurpose)?.contains("prefetch") == true {
            let message = "a handler is not started by a prefetch; ask again when it is needed"
            return .refused(HTTPError(.serviceUnavailable, message))
        }
        return ruled.map { .native(plain, .sure($0)) } ?? self.native(plain)
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

    /// The plain form of a request for native, and the handler whose own rule took it, if one did; nil for what is not
    /// for native, and for what this gateway has sent on itself.
    ///
    /// Every rule in turn works on what the one before it left, so that no trace of a bridge remains.
    func nativeForm(of request: Request) -> (plain: Request, ruled: Route?)? {
        guard request.isAnonymous || !via.isNamed(in: request.headers) else { return nil }
        if let route = ruled.first(for: request) { return (request, route) }
        var plain = request
        var isNative = false
        for rule in rules {
            guard let canonical = rule.canonicalRequest(for: plain) else { continue }
            plain = canonical
            isNative = true
        }
        return isNative ? (plain, nil) : nil
    }

    /// To the replies for the path, and then to the first route that has it and takes the method.
    private func native(_ plain: Request) -> Plan.Way {
        guard plain.naming == .path else { return .native(plain, .unknown(declining: nil)) }
        let way = handled(plain)
        let replies = replies(to: plain)
        guard !replies.isEmpty, case .native(let plain, let taker) = way else { return way }
        return .native(plain, .replying(replies, beneath: taker))
    }

    private func handled(_ plain: Request) -> Plan.Way {
        let method = plain.method.rawValue
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

// The body.
extension Gateway {
    package enum BodyChoice: Sendable {
        /// Nobody reads it, since the answer is there already.
        case refused(Response)
        case taken(BodyMode)
    }

    /// What an engine does with the body of a request, before `100 Continue` is sent for it.
    package func bodyChoice(by plan: Plan) -> BodyChoice {
        // A preflight is answered later, so that middleware sees it.
        if case .preflight = plan.way { return .taken(.streamed) }
        if var answer = answerToHead(plan) {
            finish(&answer, for: plan.request)
            return .refused(answer)
        }
        // What the gateway itself reads counts against the memory for all bodies, as what a handler collects does.
        if case .own = plan.way { return .taken(.collected(upTo: bodyLimit)) }
        guard case .native(_, let taker) = plan.way else { return .taken(.streamed) }
        guard let route = taker.route else {
            // Where no reply looks at the body, it stays a stream.
            if case .replying(let replies, _) = taker, !replies.lookAtInput { return .taken(.streamed) }
            return .taken(.collected(upTo: bodyLimit))
        }
        guard case .replying(let replies, _) = taker else {
            return .taken(route.handler.bodyMode.isStreamed ? .streamed : .collected(upTo: limit(of: route)))
        }
        // A reply may take a larger body than the handler would.
        if replies.lookAtInput { return .taken(.collected(upTo: max(bodyLimit, limit(of: route)))) }
        return .taken(.streamed)
    }

    /// The limit of a collected body for a route's handler.
    func limit(of route: Route) -> Int {
        if case .collected(let limit?) = route.handler.bodyMode { limit } else { bodyLimit }
    }

    /// Whether a body must still be collected.
    ///
    /// The engine does that for the first route that fits; the one that takes the request may want it otherwise.
    func wantsAllOfBody(_ route: Route, _ request: Request) -> Bool {
        !route.handler.bodyMode.isStreamed && request.body.count == nil
    }

    /// Refuses a body that is too large for its handler, though small enough for the engine to collect without asking.
    func refusesSize(_ count: Int?, for route: Route) -> HTTPError? {
        guard let count, count > 0, !route.handler.bodyMode.isStreamed, count > limit(of: route) else {
            return nil
        }
        return HTTPError.tooLarge(limit(of: route))
    }
}
