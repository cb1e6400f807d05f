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
        request.behind = behind
        request.loggerBase = logger

        var response: Response
        if let error = access.refusesHost(of: request) {
            response = refusal(error, of: request)
        } else {
            response = await inside(middleware[...], request, on: loop)
        }
        access.addHeaders(to: &response, for: request)
        response.headers[.requestID] = request.id
        return response
    }

    /// One middleware after the other, then the answer itself.
    private func inside(
        _ rest: ArraySlice<any Middleware>, _ request: Request, on loop: (any HandlerLoop)?
    ) async -> Response {
        do {
            guard let outer = rest.first else { return try await answer(request, on: loop) }
            return try await outer.handle(request) { [self] in
                await inside(rest.dropFirst(), $0, on: loop)
            }
        } catch {
            return Self.refusal(known(error, in: "the way of \(request.method) \(request.path)", request))
        }
    }

    /// Native or not.
    private func answer(_ request: Request, on loop: (any HandlerLoop)?) async throws -> Response {
        if let preflight = access.preflight(request) { return preflight }
        guard let plain = intercept(request) else { return try await passThrough(request) }
        if let error = access.refusesCaller(of: plain) { return refusal(error, of: request) }
        if request.headers[.secPurpose]?.contains("prefetch") == true {
            throw HTTPError(
                .serviceUnavailable, "a handler is not started by a prefetch; ask again when it is needed")
        }
        do {
            return try await handle(try await named(plain), original: request, on: loop)
        } catch {
            return reply(known(error, in: request.path, request))
        }
    }

    private func passThrough(_ request: Request) async throws -> Response {
        guard let response = try await behind.respond(to: request) else {
            throw HTTPError.nothingBehind(request.path)
        }
        return response
    }

    /// Every rule in turn works on what the one before it left, so that no trace of a door remains.
    private func intercept(_ request: Request) -> Request? {
        var plain: Request?
        for rule in rules {
            if let canonical = rule.canonicalRequest(for: plain ?? request) { plain = canonical }
        }
        return plain
    }

    /// Finds the route that takes the request, and lets its handler answer.
    private func handle(
        _ plain: Request, original: Request, on loop: (any HandlerLoop)?
    ) async throws -> Response {
        guard let segments = Target.segments(of: plain.path) else {
            throw HTTPError(
                .badRequest, "the path \(plain.path) is no UTF-8 when it is decoded; encode it as UTF-8")
        }
        let fitting = matches(segments)
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

    private func run(_ route: Route, _ request: Request, on loop: (any HandlerLoop)?) async -> Response {
        var response: Response
        do {
            response = try reply(try await Load(route, request, on: loop).answer())
        } catch {
            response = reply(known(error, in: route.name, request))
        }
        response.answeredBy = "handler \(route.name)"
        return response
    }
}

// What the head alone decides, before the body is read.
extension Gateway {
    /// What an engine does with the body of a request that has one.
    package enum Admission: Sendable {
        case refused(Response)
        case taken(BodyMode)
    }

    /// Decides on the head: refusals come before the body, and before `100 Continue` is sent for it.
    package func admission(of request: Request) -> Admission {
        if let error = access.refusesHost(of: request) { return .refused(refusal(error, of: request)) }
        guard let plain = intercept(request) else { return .taken(.streamed) }
        if access.preflight(request) == nil, let error = access.refusesCaller(of: plain) {
            return .refused(refusal(error, of: request))
        }
        let collected = BodyMode.collected(upTo: bodyLimit)
        guard plain.naming == .path, let segments = Target.segments(of: plain.path) else {
            return .taken(collected)
        }
        for (route, _) in matches(segments) where route.takes(plain.method.rawValue) {
            switch route.handler.bodyMode {
            case .collected(upTo: let limit?): return .taken(.collected(upTo: limit))
            case .collected(upTo: nil): return .taken(collected)
            case .streamed: return .taken(.streamed)
            }
        }
        return .taken(collected)
    }
}
