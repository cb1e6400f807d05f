// How a request is answered, in the order of this file.
extension Gateway {
    /// Answers a request as a server would, without a socket.
    ///
    /// ```swift
    /// let response = await gateway.respond(to: Request("/echo?_mobile_bridge=1&message=Hello"))
    /// ```
    ///
    /// Cancel the task to act as a caller that leaves: the handler is cancelled, and its `stopLoading()` called.
    public func respond(to request: Request) async -> Response { await respond(to: request, by: nil) }

    /// Answers a request, with handlers that run on a loop of the engine.
    package func respond(to request: Request, by tasks: HandlerTasks?) async -> Response {
        await respond(to: plan(for: request, at: .entry), by: tasks)
    }

    func respond(to plan: Plan, by tasks: HandlerTasks?) async -> Response {
        var answer =
            if case .closed(let refusal) = plan.way {
                refusal
            } else {
                await inside(middleware[...], plan.request, plan, by: tasks)
            }
        finish(&answer, for: plan.request)
        return answer
    }

    /// Adds cookie, CORS headers and request id to each response, refusals included; not to those of the engine itself.
    package func finish(_ answer: inout Response, for request: Request) {
        // Middleware or a responder may answer with an output that is not in its final form yet.
        if case .output = answer.body.content, !request.isForScript { try? dress(&answer, for: request) }
        answer.setOwnCookie()
        // Pages may not read the tester's API, so its answers get no CORS headers.
        if !access.allowedOrigins.isEmpty, OwnPath(of: request)?.isForTesters != true {
            access.addHeaders(to: &answer, for: request)
        }
        if !answer.isRelayed { answer.seal(requestID: request.id) }
    }

    /// Runs the middleware in order, and then answers; for a request that was admitted.
    ///
    /// - Parameter plan: the plan for the request that the outermost middleware got.
    private func inside(
        _ rest: ArraySlice<any Middleware>, _ request: Request, _ plan: Plan, by tasks: HandlerTasks?
    ) async -> Response {
        do {
            guard let outer = rest.first else { return try await respond(to: request, plan, by: tasks) }
            return try await outer.handle(request) { [self] in
                await inside(rest.dropFirst(), $0, plan, by: tasks)
            }
        } catch {
            return Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
    }

    /// Answers a request for native, or passes it through.
    private func respond(
        to request: Request, _ earlier: Plan, by tasks: HandlerTasks?
    ) async throws -> Response {
        var plan = decided(earlier, about: request)
        if request.waitsForItsTurn, case .native = plan.way { await awaitTurn(of: request) }
        let store = loader(for: plan)
        try await store?.load(request.session)
        // While the request waited, for its turn or in middleware, handlers may have been registered or removed.
        if !isStillRight(plan) || store != nil { plan = self.plan(for: request, at: .inside) }
        if let start = start(&plan, by: tasks) { return await end(start) }
        switch plan.way {
        case .own: return try await passThrough(plan.request)
        case .native(var plain, let candidate):
            if journal.isOn { begins(&plain, original: plan.request) }
            var answer = await respond(toNative: plain, plan, candidate, by: tasks)
            if plain.record != nil { ends(plain, &answer) }
            return answer
        case .closed, .refused, .preflight, .undecided, .behind: return try await pass(plan.request)
        }
    }

    /// The plan that was made before middleware ran, if that left the request unchanged; else a new plan.
    private func decided(_ earlier: Plan, about request: Request) -> Plan {
        guard earlier.request.isSame(as: request) else { return plan(for: request, at: .inside) }
        guard case .undecided(let known) = earlier.way else { return earlier }
        return plan(for: request, at: .inside, as: known)
    }

    /// Answers a request for native: by a reply, a handler, or the gateway itself.
    private func respond(
        toNative request: Request, _ plan: Plan, _ first: Plan.Candidate, by tasks: HandlerTasks?
    ) async -> Response {
        var (plain, candidate) = (request, first)
        var original = plan.request
        if case .replying(let replies, let beneath) = candidate {
            if let answer = await replied(&plain, by: replies, original: plan.request) {
                return answer
            }
            candidate = beneath
            original.body = plain.body
        }
        if let route = candidate.taking(plain) { return await run(route, plain, by: tasks) }
        do {
            var named = try await named(plain)
            sends(named)
            if plain.isNamedByAction,
                let answer = await replied(&named, by: replies(to: named), original: plan.request)
            {
                return answer
            }
            return try await handle(named, original: original, unless: candidate.declining, by: tasks)
        } catch {
            var response = failure(known(error, in: plan.request.path, plan.request), to: plan.request)
            response.answeredBy = Response.noHandler
            return response
        }
    }

    /// The answer if the plan needs only the head: a refusal, or a preflight's; else nil.
    func answerToHead(_ plan: Plan) -> Response? {
        switch plan.way {
        case .closed(let answer), .preflight(let answer): answer
        case .refused(let error): refusal(error, of: plan.request)
        case .undecided, .own, .behind, .native: nil
        }
    }

    /// Finds the route that takes the request, and lets its handler answer.
    ///
    /// - Parameter declining: the route whose handler was asked before, and did not take it.
    private func handle(
        _ plain: Request, original: Request, unless declining: Route?, by tasks: HandlerTasks?
    ) async throws -> Response {
        guard let segments = Target.segments(of: plain.path) else {
            throw HTTPError(
                .badRequest, "the path \(plain.path) is not UTF-8 when it is decoded; encode it as UTF-8")
        }
        var refusing: [Route] = []
        for (route, values) in matches(segments, for: plain) {
            let request = route.named(values, in: plain)
            guard route.takes(request.method) else {
                // The 405 names the methods of the pattern that fits best.
                if refusing.first?.pattern.text ?? route.pattern.text == route.pattern.text {
                    refusing.append(route)
                }
                continue
            }
            guard route !== declining, route.handler.canInit(with: request) else {
                notes("\(route.title) did not take it: canInit(with:) was false", of: plain)
                continue
            }
            return await run(route, request, by: tasks)
        }
        guard refusing.isEmpty else { throw methodNotAllowed(plain, refusing) }
        try checkMethodForReplies(plain)
        return try await withoutHandler(plain, original: original)
    }

    /// Runs a route's handler, inside those of the route's middleware that have not run yet.
    func run(
        _ route: Route, _ plain: Request, by tasks: HandlerTasks?,
        within rest: ArraySlice<any Middleware>? = nil
    ) async -> Response {
        let rest = rest ?? route.middleware[...]
        guard let outer = rest.first else { return await load(route, plain, by: tasks) }
        do {
            return try await outer.handle(plain) { [self] in
                await run(route, $0, by: tasks, within: rest.dropFirst())
            }
        } catch {
            return outcome(for: plain, of: route, error, after: .zero)
        }
    }

    /// Runs a route's handler, after collecting the body if the handler wants that.
    private func load(_ route: Route, _ plain: Request, by tasks: HandlerTasks?) async -> Response {
        do {
            var plain = plain
            if wantsAllOfBody(route, plain) {
                plain.body = Request.Body(try await plain.body.collect(upTo: limit(of: route)))
                sends(plain)
            }
            return await end(start(route, plain, by: tasks))
        } catch {
            return outcome(for: plain, of: route, error, after: .zero)
        }
    }

    private func end(_ start: consuming Start) async -> Response {
        switch consume start {
        case .answered(let answer): return answer
        case .loading(let load):
            await load.end()
            return response(of: load)
        }
    }

    /// Starts a route's handler; if it wants a collected body, that was collected before.
    func start(_ route: Route, _ plain: Request, by tasks: HandlerTasks?) -> Start {
        if let error = refusesSize(plain.body.count, for: route) {
            var refusal = refusal(error, of: plain)
            if plain.record != nil { ends(plain, &refusal) }
            return .answered(refusal)
        }
        tell(
            plain, "\(route.name) is asked",
            [Array(plain.query.text.utf8), plain.bridgeInput?.bytes ?? plain.body.bytes ?? []])
        if let immediate = route.immediate, tasks?.loop.isCurrent ?? true {
            return .answered(respondAtOnce(to: plain, with: route, immediate, on: tasks?.loop))
        }
        do {
            let load = try Load(route, plain, on: tasks?.loop)
            // A reused task of the loop does not have the task-local values that middleware has set.
            let hasNoTask = middleware.isEmpty && route.middleware.isEmpty
            let isOver = load.start(by: hasNoTask ? tasks : nil)
            return isOver ? .answered(response(of: load)) : .loading(load)
        } catch {
            return .answered(outcome(for: plain, of: route, error, after: .zero))
        }
    }

    private func respondAtOnce(
        to request: Request, with route: Route, _ immediate: Route.Immediate, on loop: (any HandlerLoop)?
    ) -> Response {
        let began = Moment.now
        let response: Response
        do {
            response = try loop?.watch.during(route.handler) { try immediate(request) } ?? immediate(request)
        } catch {
            return outcome(for: request, of: route, error, after: route.held(since: began, request))
        }
        return outcome(for: request, of: route, response, after: route.held(since: began, request))
    }

    func response(of load: Load) -> Response {
        do {
            return outcome(for: load.request, of: load.route, try load.takeResponse(), after: load.took)
        } catch {
            return outcome(for: load.request, of: load.route, error, after: load.took)
        }
    }
}
