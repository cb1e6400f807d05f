import HTTPTypes
import Logging

// A request's way, from top to bottom of this file.
extension Gateway {
    /// Answers a request: all that the gateway does, with no socket.
    ///
    /// ```swift
    /// let response = await gateway.respond(to: Request("/echo?_mobile_bridge=1&message=Hello"))
    /// ```
    ///
    /// Cancelling the task is the caller's leaving: the handler is cancelled and told.
    public func respond(to request: Request) async -> Response { await respond(to: request, on: nil) }

    /// The same, with handlers on a loop of the engine.
    package func respond(to request: Request, on loop: (any HandlerLoop)?) async -> Response {
        var request = request
        if request.gateway !== self { request.gateway = self }

        if let refusal = refusesEntry(of: &request) {
            return finish(SealedResponse(refusal), for: request).whole
        }
        return finish(SealedResponse(await inside(middleware[...], request, on: loop)), for: request).whole
    }

    /// What every answer gets, refusals included.
    package func finish(_ reply: consuming SealedResponse, for request: Request) -> SealedResponse {
        var reply = reply
        // An output that no handler gave: a middleware's, a responder's.
        if case .output = reply.response.body, !request.isForScript,
            let dressed = try? self.reply(reply.whole)
        {
            reply = dressed
        }
        reply.response.setOwnCookie()
        // Who may read what another host answers, that host says; and what is for programs, no page reads.
        let isForTesters = OwnPath(of: request)?.isForTesters == true
        if !(reply.response.isRelayed && access.isForOthers(request)), !isForTesters {
            access.addHeaders(to: &reply.response, for: request)
        }
        if !reply.response.isRelayed { reply.set(requestID: request.id) }
        return reply
    }

    /// One middleware after the other, then the answer itself.
    func inside(
        _ rest: ArraySlice<any Middleware>, _ request: Request, on loop: (any HandlerLoop)?
    ) async -> Response {
        do {
            guard let outer = rest.first else { return try await answer(request, on: loop) }
            return try await outer.handle(request) { [self] in
                await inside(rest.dropFirst(), $0, on: loop)
            }
        } catch {
            return Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
    }

    /// Native or not.
    private func answer(_ request: Request, on loop: (any HandlerLoop)?) async throws -> Response {
        let destination = request.door == nil ? destination(of: request) : .native(request, nil)
        if case .native = destination { await awaitTurn(of: request) }
        switch destination {
        case .nowhere(let response): return response
        case .behind: return try await passThrough(request)
        case .native(let plain, let route?): return await run(route, plain, on: loop)
        case .native(let plain, nil):
            do {
                return try await handle(try await named(plain), original: request, on: loop)
            } catch {
                var response = reply(known(error, in: request.path, request))
                response.answeredBy = "no handler"
                return response
            }
        }
    }

    /// Where a request goes.
    private enum Destination {
        /// It is answered on its head alone.
        case nowhere(Response)
        case behind
        /// To a handler, in its plain form; to the one of this route where its own rule took it.
        case native(Request, Route?)
    }

    private func destination(of request: Request) -> Destination {
        let route = routeByOwnRule(for: request)
        let plain = route == nil ? intercept(request) : request
        let isForTesters = !access.isForOthers(request) && OwnPath(of: request)?.isForTesters == true
        if plain != nil || !access.isForOthers(request), !isForTesters,
            let preflight = access.preflight(request)
        {
            return .nowhere(preflight)
        }
        guard let plain else { return .behind }
        if let error = access.refusesCaller(of: plain) { return .nowhere(refusal(error, of: request)) }
        // Nothing else stops a foreign page's speculation rule: Chromium sends it with `Sec-Fetch-Site: none`.
        if !request.isAnonymous, request.headers.value(.secPurpose)?.contains("prefetch") == true {
            let error = HTTPError(
                .serviceUnavailable, "a handler is not started by a prefetch; ask again when it is needed")
            return .nowhere(refusal(error, of: request))
        }
        return .native(plain, route)
    }

    private func passThrough(_ request: Request) async throws -> Response {
        guard let response = try await answerFromBehind(request) else {
            var error = HTTPError.nothingBehind(request.path)
            if let segments = Target.segments(of: request.path),
                let (route, _) = matches(segments, for: request).first
            {
                error.message +=
                    "; a handler (\(route.name)) has this path: add _mobile_bridge=1 to the query"
            }
            throw error
        }
        return response
    }

    /// What this process has sent on itself is not taken a second time.
    private func hasComeRound(_ request: Request) -> Bool {
        !request.isAnonymous && Via.own.isNamed(in: request.headers)
    }

    /// The handler whose own rule takes a request.
    func routeByOwnRule(for request: Request) -> Route? {
        hasComeRound(request) ? nil : ruled.first(for: request)
    }

    /// Every rule in turn works on what the one before it left, so that no trace of a door remains.
    func intercept(_ request: Request) -> Request? {
        guard !hasComeRound(request) else { return nil }
        var plain = request
        var isNative = false
        for rule in rules {
            guard let canonical = rule.canonicalRequest(for: plain) else { continue }
            plain = canonical
            isNative = true
        }
        return isNative ? plain : nil
    }

    /// Finds the route that takes the request, and lets its handler answer.
    private func handle(
        _ plain: Request, original: Request, on loop: (any HandlerLoop)?
    ) async throws -> Response {
        if let route = best(plain) { return await run(route, plain, on: loop) }
        guard let segments = Target.segments(of: plain.path) else {
            throw HTTPError(
                .badRequest, "the path \(plain.path) is no UTF-8 when it is decoded; encode it as UTF-8")
        }
        let fitting = matches(segments, for: plain)
        var refusing: Route?
        for (route, values) in fitting {
            var request = plain
            if !values.isEmpty {
                request.parameters = Dictionary(zip(route.pattern.names, values), uniquingKeysWith: { $1 })
            }
            guard route.takes(request.method.rawValue) else {
                refusing = refusing ?? route
                continue
            }
            guard route.handler.canInit(with: request) else { continue }
            return await run(route, request, on: loop)
        }
        if let refusing { throw methodNotAllowed(plain, refusing) }
        return try await withoutHandler(plain, original: original)
    }

    /// The route that is registered for exactly this path, if it takes the request; else the others are asked too.
    private func best(_ plain: Request) -> Route? {
        guard let route = best(plain.path, for: plain), route.takes(plain.method.rawValue),
            route.handler.canInit(with: plain)
        else { return nil }
        return route
    }

    private func run(_ route: Route, _ request: Request, on loop: (any HandlerLoop)?) async -> Response {
        if let error = refusesSize(request.body.count, for: route) { return refusal(error, of: request) }
        do {
            let request = try await withBody(as: route.handler.bodyMode, request)
            tellAsked(request, route)
            let load = try Load(route, request, on: loop)
            load.start()
            await load.end()
            return reply(of: load).whole
        } catch {
            return reply(to: request, of: route, error, after: .zero).whole
        }
    }

    /// What a load that is over has come to.
    private func reply(of load: Load) -> SealedResponse {
        do {
            return reply(to: load.request, of: load.route, try load.takeResponse(), after: load.took)
        } catch {
            return reply(to: load.request, of: load.route, error, after: load.took)
        }
    }

    /// What a handler's answer becomes.
    private func reply(
        to request: Request, of route: Route, _ response: consuming Response, after took: Duration
    ) -> SealedResponse {
        do {
            let reply = try reply(response, isBare: request.isForScript)
            return label(reply, to: request, of: route, after: took)
        } catch {
            return reply(to: request, of: route, error, after: took)
        }
    }

    /// What a handler's error becomes.
    private func reply(
        to request: Request, of route: Route, _ error: any Error, after took: Duration
    ) -> SealedResponse {
        let error = known(error, in: route.name, request)
        // No page that expects the envelope asked for a handler without a path.
        let reply = SealedResponse(route.rule == nil ? reply(error) : Self.refusal(error))
        return label(reply, to: request, of: route, after: took)
    }

    /// Says who answered, and how long it took.
    private func label(
        _ reply: consuming SealedResponse, to request: Request, of route: Route, after took: Duration
    ) -> SealedResponse {
        var reply = reply
        reply.response.answeredBy = route.title
        reply.set(took: took, by: route)
        if isTelling, let bytes = reply.response.body.bytes {
            tell(request, "\(route.name) answers", [bytes])
        }
        return reply
    }

    private func tellAsked(_ request: Request, _ route: Route) {
        tell(
            request, "\(route.name) is asked",
            [Array(request.query.text.utf8), request.doorInput?.bytes ?? request.body.bytes ?? []])
    }

    /// For whoever debugs a page: what goes in and out, at the level `debug`.
    private func tell(
        _ request: Request, _ what: @autoclosure () -> String, _ texts: @autoclosure () -> [[UInt8]]
    ) {
        guard isTelling else { return }
        let shown = texts().filter { !$0.isEmpty }.map(Self.shown)
        request.logger.debug("\(([what()] + shown).joined(separator: " "))")
    }

    /// A text as it stands in the log, where longer ones are cut (contract, section 4).
    static func shown(_ bytes: [UInt8]) -> String {
        let limit = 500
        return String(decoding: bytes.prefix(limit), as: UTF8.self) + (bytes.count > limit ? " [...]" : "")
    }

    /// The engine collects a body by the first route that fits; the one that takes the request may want it otherwise.
    private func withBody(as mode: BodyMode, _ request: Request) async throws -> Request {
        guard case .collected(let limit) = mode else { return request }
        guard request.body.count == nil else { return request }
        var request = request
        request.body = Request.Body(try await request.body.collect(upTo: limit ?? bodyLimit))
        return request
    }

    /// A body that was small enough to come without a question may be too large for its handler.
    private func refusesSize(_ count: Int?, for route: Route) -> HTTPError? {
        guard let count, count > 0,
            case .collected(let limit) = route.handler.bodyMode, count > limit ?? bodyLimit
        else { return nil }
        return HTTPError.tooLarge(limit ?? bodyLimit)
    }
}

// The same way without a task around the handler's own, for an engine: where nothing needs to be awaited but the
// handler, as for most requests.
extension Gateway {
    /// A request's way up to where somebody has to wait.
    package enum Beginning: ~Copyable {
        case answered(SealedResponse, to: Request)
        /// A handler is at work; ``end(of:for:)`` gives the answer when it is done.
        case loading(Load, for: Request)
        /// Who lies behind answers, at once or later, when this is called; once, unless what it returns was called before.
        case relaying(Relaying, for: Request)
        /// There is more to wait for than a handler: ask ``respond(to:on:)``.
        case tooLong(Request)

        /// The request, with the admission that let it in if one did.
        package var request: Request {
            switch self {
            case .answered(_, let request): request
            case .loading(_, let request): request
            case .relaying(_, let request): request
            case .tooLong(let request): request
            }
        }
    }

    /// Takes who wants the answer, and returns what cancels it.
    package typealias Relaying = (_ tell: @escaping (consuming SealedResponse) -> Void) ->
        @Sendable () -> Void

    /// Begins to answer a request whose body is there, or is a stream.
    package func begin(
        _ head: RequestHead, _ body: Request.Body, from remoteAddress: String?,
        at localAddress: String? = nil,
        by tasks: HandlerTasks
    ) -> Beginning {
        assert(
            tasks.loop.isCurrent, "a request began on another thread than its loop's, which has the decision")
        let id = Request.id(head)
        let count = body.count
        if !head.waitsForItsTurn, let known = decision(about: head, from: remoteAddress) {
            let plain = Request(
                head, target: known.target, body: body, remoteAddress: remoteAddress, id: id, gateway: self)
            if takes(count, known.route), known.route.handler.canInit(with: plain) {
                return begin(plain, with: known.route, for: plain, by: tasks)
            }
        }
        var request = Request(
            head, body: body, remoteAddress: remoteAddress, localAddress: localAddress, id: id, gateway: self)
        if let refusal = refusesEntry(of: &request) {
            return answered(SealedResponse(refusal), to: request)
        }
        guard middleware.isEmpty, !head.waitsForItsTurn else { return .tooLong(request) }
        switch destination(of: request) {
        case .nowhere(let response): return answered(SealedResponse(response), to: request)
        case .behind:
            guard let begin = relaying(request) else { return .tooLong(request) }
            return .relaying(
                { tell in begin { tell(self.finish(SealedResponse($0), for: request)) } }, for: request)
        case .native(let plain, let ruled):
            let version = handlers.version
            guard let route = ruled ?? (plain.naming == .path ? best(plain) : nil),
                count != nil || route.handler.bodyMode.isStreamed
            else { return .tooLong(request) }
            if let error = refusesSize(count, for: route) {
                return answered(SealedResponse(refusal(error, of: request)), to: request)
            }
            if ruled == nil { keep(plain, route, version: version, on: head) }
            return begin(plain, with: route, for: request, by: tasks)
        }
    }

    /// Whether a handler gets a body as it wants it, of so many bytes, or a stream.
    private func takes(_ count: Int?, _ route: Route) -> Bool {
        count.map { $0 == 0 || refusesSize($0, for: route) == nil } ?? route.handler.bodyMode.isStreamed
    }

    /// Lets a handler begin.
    private func begin(
        _ plain: Request, with route: Route, for request: Request, by tasks: HandlerTasks
    ) -> Beginning {
        if let immediate = route.immediate {
            return answered(answer(plain, with: route, immediate, on: tasks.loop), to: request)
        }
        do {
            tellAsked(plain, route)
            let load = try Load(route, plain, on: tasks.loop)
            return load.start(by: tasks)
                ? answered(reply(of: load), to: request) : .loading(load, for: request)
        } catch {
            return answered(reply(to: plain, of: route, error, after: .zero), to: request)
        }
    }

    private func answered(_ reply: consuming SealedResponse, to request: Request) -> Beginning {
        .answered(finish(reply, for: request), to: request)
    }

    /// Lets a handler answer that waits for nothing.
    private func answer(
        _ request: Request, with route: Route, _ immediate: Route.Immediate, on loop: any HandlerLoop
    ) -> SealedResponse {
        tellAsked(request, route)
        let began = Moment.now
        let response: Response
        do {
            response = try loop.watch.during(route) { try immediate(request) }
        } catch {
            return reply(to: request, of: route, error, after: route.held(since: began, request))
        }
        return reply(to: request, of: route, response, after: route.held(since: began, request))
    }

    /// The answer of a load that is over.
    package func end(of load: Load, for request: Request) -> SealedResponse {
        finish(reply(of: load), for: request)
    }
}

// What the head alone decides, before the body is read.
extension Gateway {
    /// What an engine does with the body of a request that has one.
    package enum Admission: Sendable {
        /// With the request, which has an id now.
        case refused(Request, Response)
        case taken(BodyMode)
    }

    /// Decides on the head: refusals come before the body, and before `100 Continue` is sent for it.
    package func admission(of request: Request) -> Admission {
        var request = request
        if request.id.isEmpty { request.id = Request.id(request.headers) }
        if request.gateway == nil { request.gateway = self }
        if let refusal = refusesEntry(of: &request) { return refused(refusal, request) }
        let ruled = routeByOwnRule(for: request)
        guard let plain = ruled == nil ? intercept(request) : request else {
            // What the gateway itself reads counts among all bodies, as what a handler wants does.
            let isOwn = !access.isForOthers(request) && OwnPath(of: request) != nil
            return .taken(isOwn ? .collected(upTo: bodyLimit) : .streamed)
        }
        if access.preflight(request) == nil, let error = access.refusesCaller(of: plain) {
            return refused(refusal(error, of: request), request)
        }
        if let ruled { return .taken(bodyMode(of: ruled)) }
        let collected = BodyMode.collected(upTo: bodyLimit)
        let own = plain.naming == .path ? best(plain.path, for: plain) : nil
        if let own, own.takes(plain.method.rawValue) { return .taken(bodyMode(of: own)) }
        guard plain.naming == .path, let segments = Target.segments(of: plain.path) else {
            return .taken(collected)
        }
        for (route, _) in matches(segments, for: plain) where route.takes(plain.method.rawValue) {
            return .taken(bodyMode(of: route))
        }
        return .taken(collected)
    }

    private func bodyMode(of route: Route) -> BodyMode {
        if case .collected(upTo: nil) = route.handler.bodyMode {
            .collected(upTo: bodyLimit)
        } else {
            route.handler.bodyMode
        }
    }

    private func refused(_ refusal: Response, _ request: Request) -> Admission {
        .refused(request, finish(SealedResponse(refusal), for: request).whole)
    }
}
