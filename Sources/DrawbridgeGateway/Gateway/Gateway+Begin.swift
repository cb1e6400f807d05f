import DrawbridgeJournal
package import DrawbridgeMessages
import DrawbridgeMocks

// Begins answers for an engine: where nothing but the handler must be awaited, as for most requests, without a task
// of its own.
extension Gateway {
    package enum Beginning: ~Copyable {
        case answered(Response)
        /// A handler is at work on the answer, or what is behind the gateway.
        case pending(any Pending)
    }

    /// Begins to answer a request whose body is there, or is a stream.
    ///
    /// - Parameter plan: another one afterwards where its handler has declined.
    package func begin(_ plan: inout Plan, for known: KnownHead, by tasks: HandlerTasks) -> Beginning {
        assert(
            tasks.loop.isCurrent, "a request began on another thread than its loop's, which has the decision")
        if plan.isClosed || middleware.isEmpty && !known.head.waitsForItsTurn {
            switch start(&plan, by: tasks) {
            case .answered(var answer)?:
                finish(&answer, for: plan.request)
                return .answered(answer)
            case .loading(let load)?: return .pending(load)
            case nil: break
            }
        }
        var passing: PassThrough?
        // Where there is an error, the task finds it too.
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

    enum Start: ~Copyable {
        case answered(Response)
        case loading(Load)
    }

    /// Answers by a plan where nothing but a handler must be awaited; else nil, and nothing has begun.
    ///
    /// - Parameter plan: the others are asked by it afterwards, where its handler has declined.
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

    /// Lets what is behind the gateway answer without a task.
    private func relay(
        _ request: Request, by pending: PendingRequest, _ passing: PassThrough, _ begin: Relaying
    ) {
        let number = passes(request)
        pending.start(begin) { [self] response, isCancelled in
            var answer = passing.answer(response) ?? response
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

// Decides about a request by its head, and remembers that.
extension Gateway {
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

    func decision(about known: KnownHead, from remoteAddress: String?) -> CachedPlan? {
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
        known.decision = CachedPlan(plain, route, version: plan.version)
    }

    /// A plan of the head, now that the body is there, or its stream; nil where the gateway has to decide anew.
    ///
    /// It has to where something was registered or removed meanwhile, and for all callers on other machines: their
    /// admission may have ended while they were sending.
    package func kept(_ plan: Plan, with body: Request.Body) -> Plan? {
        isStillRight(plan) && access.isFromThisMachine(plan.request) ? plan.with(body) : nil
    }

    func isStillRight(_ plan: Plan) -> Bool { plan.version == registry.version }
}

extension Plan {
    fileprivate func with(_ body: Request.Body) -> Plan {
        var (request, way) = (request, way)
        request.body = body
        if case .native(var plain, let candidate) = way {
            plain.body = body
            way = .native(plain, candidate)
        }
        return Plan(request, way, version: version)
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
        guard case .native(_, let candidate) = plan.way else { return .taken(.streamed) }
        let most = candidate.route.map(limit) ?? bodyLimit
        guard case .replying(let replies, _) = candidate else {
            let isStreamed = candidate.route?.handler.bodyMode.isStreamed == true
            return .taken(isStreamed ? .streamed : .collected(upTo: most))
        }
        // Where no reply looks at the body, it stays a stream; one may take a larger body than the handler would.
        return .taken(replies.lookAtInput ? .collected(upTo: max(bodyLimit, most)) : .streamed)
    }

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
