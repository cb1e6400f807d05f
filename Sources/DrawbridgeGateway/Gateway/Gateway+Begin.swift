// Starts to answer requests for the HTTP engine. A request that waits only for its handler needs no task of its own.
extension Gateway {
    package enum Beginning: ~Copyable {
        case answered(Response)
        /// A handler or an upstream still works on the answer.
        case pending(any Pending)
    }

    /// Begins to answer a request whose body is collected, or is a stream.
    ///
    /// - Parameter plan: if its handler declines the request, it is replaced by a plan that asks the other handlers.
    package func begin(_ plan: inout Plan, for known: KnownHead, by tasks: HandlerTasks) -> Beginning {
        assert(
            tasks.loop.isCurrent, "a request began on another thread than that of its loop")
        if plan.isClosed || middleware.isEmpty && !known.head.waitsForItsTurn && loader(for: plan) == nil {
            switch start(&plan, by: tasks) {
            case .answered(var answer)?:
                finish(&answer, for: plan.request)
                return .answered(answer)
            case .loading(let load)?: return .pending(load)
            case nil: break
            }
        }
        var passing: PassThrough?
        if middleware.isEmpty, case .behind = plan.way { passing = self.passing(plan.request) }
        let pending = PendingRequest(self, plan, passing, by: tasks)
        if let passing, let begin = passing.responders.relaying(passing.request) {
            relay(plan.request, by: pending, passing, begin)
        } else {
            pending.start()
        }
        return pending.isOver
            ? .answered(pending.response(to: plan.request, in: self)) : .pending(pending)
    }

    /// The store that has to load the session of a call first; nil if there is none, and for the session that nobody named.
    func loader(for plan: Plan) -> (any SessionStore)? {
        guard let store = shared.now, case .native = plan.way else { return nil }
        let session = plan.request.session
        return session == .usual || store.has(session) ? nil : store
    }

    enum Start: ~Copyable {
        case answered(Response)
        case loading(Load)
    }

    /// Answers a request for which only a handler must be awaited; for any other returns nil, with nothing started.
    ///
    /// - Parameter plan: if its handler declines the request, it is replaced by a plan that asks the other handlers.
    func start(_ plan: inout Plan, by tasks: HandlerTasks?) -> Start? {
        if let answer = answerToHead(plan) { return .answered(answer) }
        guard case .native(var plain, let candidate) = plan.way, let route = candidate.route,
            route.middleware.isEmpty, !wantsAllOfBody(route, plain)
        else { return nil }
        guard candidate.taking(plain) != nil else {
            plan = plan.declined(by: route)
            return nil
        }
        if journal.isOn { begins(&plain, original: plan.request) }
        return start(route, plain, by: tasks)
    }

    /// Relays a request to a responder that can answer without a task.
    private func relay(
        _ request: Request, by pending: PendingRequest, _ passing: PassThrough, _ begin: Relaying
    ) {
        let number = passes(request)
        pending.start(begin) { [self] response, isCancelled in
            guard var answer = passing.answer(response) else { preconditionFailure("a response was lost") }
            passed(number, isCancelled ? nil : answer.status)
            finish(&answer, for: request)
            return answer
        }
    }

    func respond(to request: Request, by passing: PassThrough) async -> Response {
        var answer: Response
        do {
            answer = try await pass(request, by: passing)
        } catch {
            answer = Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
        finish(&answer, for: request)
        return answer
    }
}

extension Load: Pending {
    package func response(to request: Request, in gateway: Gateway) -> Response {
        var answer = gateway.response(of: self)
        gateway.finish(&answer, for: request)
        return answer
    }
}

// Plans a request by its head, and caches the decision with that head.
extension Gateway {
    /// Plans a new request on its loop's thread: reuses the cached decision for an identical head while that is valid.
    package func plan(
        for known: KnownHead, _ body: Request.Body, from remoteAddress: String?,
        at localAddress: String? = nil, caller: (any AnyObject & Sendable)? = nil, on loop: any HandlerLoop
    ) -> Plan {
        assert(loop.isCurrent, "a request was planned on another thread than that of its loop")
        let (head, id) = (known.head, Request.id(known.head))
        let decision = decision(about: known, from: remoteAddress)
        if let decision, middleware.isEmpty {
            let plain = Request(
                head, target: decision.target, body: body, remoteAddress: remoteAddress, id: id,
                answerer: self, caller: caller)
            if decision.route.handler.canInit(with: plain) {
                let way = Plan.Way.native(plain, .sure(decision.route))
                return Plan(request: plain, way: way, version: decision.version)
            }
        }
        let request = Request(
            head, body: body, remoteAddress: remoteAddress, localAddress: localAddress, id: id,
            answerer: self, caller: caller)
        guard let decision else { return plan(for: request, at: .entry, as: known) }
        // Only decisions about admitted requests from this machine are cached. An identical head from the same address
        // would be admitted again, so admission is not checked here.
        return middleware.isEmpty
            ? plan(for: request, at: .entry).declined(by: decision.route)
            : Plan(request: request, way: .undecided(known), version: decision.version)
    }

    func decision(about known: KnownHead, from remoteAddress: String?) -> CachedPlan? {
        guard let decision = known.decision, decision.remoteAddress == remoteAddress,
            decision.version == registry.version
        else { return nil }
        return decision
    }

    /// Caches the decision with the head, for the next request that has the same head.
    ///
    /// It is not cached for a head that came once, if a custom rule may change more than the target, or if some
    /// handlers are for certain pages only.
    ///
    /// Callers on other machines are checked each time, since their admission may have ended.
    func keep(_ plan: Plan, with known: KnownHead) {
        guard known.isRepeated, case .native(let plain, .likely(let route)) = plan.way,
            plain.parameters.isEmpty, access.isFromThisMachine(plain), plain.site?.isLocal != false,
            access.wayHere(of: Request(known.head, remoteAddress: plain.remoteAddress)) == nil, hasUsualRules,
            !registry.hasSpecialHandlers, ruled.isEmpty
        else { return }
        known.decision = CachedPlan(plain, route, version: plan.version)
    }

    /// The plan that was made by the head, with the body added; nil if the request must be planned again.
    ///
    /// That is so if a handler was registered or removed meanwhile, and for all callers on other machines: their
    /// admission may have ended while they sent the body.
    package func kept(
        _ plan: Plan, with body: Request.Body, by caller: (any AnyObject & Sendable)? = nil
    ) -> Plan? {
        isStillRight(plan) && access.isFromThisMachine(plan.request) ? plan.with(body, by: caller) : nil
    }

    func isStillRight(_ plan: Plan) -> Bool { plan.version == registry.version }
}

extension Plan {
    fileprivate func with(_ body: Request.Body, by caller: (any AnyObject & Sendable)?) -> Plan {
        var (request, way) = (request, way)
        request.take(body, from: caller)
        if case .native(var plain, let candidate) = way {
            plain.take(body, from: caller)
            way = .native(plain, candidate)
        }
        return Plan(request: request, way: way, version: version)
    }
}

// How the body of a request is read.
extension Gateway {
    package enum BodyChoice: Sendable {
        /// The body is not read, since the request is already answered.
        case refused(Response)
        case taken(HandlerOptions.Body)
    }

    /// Whether and how the engine reads a request's body; decided before it sends `100 Continue`.
    package func bodyChoice(by plan: Plan) -> BodyChoice {
        // A preflight is answered later, so that middleware sees it.
        if case .preflight = plan.way { return .taken(.streamed) }
        if var answer = answerToHead(plan) {
            finish(&answer, for: plan.request)
            return .refused(answer)
        }
        // Bodies for the gateway's own endpoints count against the memory limit of bodies, as those for handlers do.
        if case .own = plan.way { return .taken(.collected(upTo: bodyLimit)) }
        guard case .native(_, let candidate) = plan.way else { return .taken(.streamed) }
        let most = candidate.route.map(limit) ?? bodyLimit
        guard case .replying(let replies, _) = candidate else {
            let isStreamed = candidate.route?.options.body.isStreamed == true
            return .taken(isStreamed ? .streamed : .collected(upTo: most))
        }
        // Where no reply looks at the body, it stays a stream; one may take a larger body than the handler would.
        return .taken(replies.lookAtInput ? .collected(upTo: max(bodyLimit, most)) : .streamed)
    }

    func limit(of route: Route) -> Int {
        if case .collected(let limit?) = route.options.body { limit } else { bodyLimit }
    }

    /// Whether the body must still be collected for this route.
    ///
    /// The engine has read it as the first matching route wants it; the route that takes the request may differ.
    func wantsAllOfBody(_ route: Route, _ request: Request) -> Bool {
        !route.options.body.isStreamed && request.body.count == nil
    }

    /// Refuses a body over the handler's limit: the engine collects small bodies before it asks for that limit.
    func refusesSize(_ count: Int?, for route: Route) -> HTTPError? {
        guard let count, count > 0, !route.options.body.isStreamed, count > limit(of: route) else {
            return nil
        }
        return HTTPError.tooLarge(limit(of: route))
    }
}
