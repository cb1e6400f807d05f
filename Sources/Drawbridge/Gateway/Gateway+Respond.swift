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
        request.gateway = self

        if let error = access.refusesHost(of: request) {
            return finish(refusal(error, of: request), for: request)
        }
        return finish(await inside(middleware[...], request, on: loop), for: request)
    }

    /// What every answer gets, refusals included.
    private func finish(_ response: Response, for request: Request) -> Response {
        var response = response
        // An output that no handler gave: a middleware's, a responder's.
        if case .output = response.body { response = (try? reply(response)) ?? response }
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
            return Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
    }

    /// Native or not.
    private func answer(_ request: Request, on loop: (any HandlerLoop)?) async throws -> Response {
        if let preflight = access.preflight(request) { return preflight }
        guard let plain = intercept(request) else { return try await passThrough(request) }
        if let error = access.refusesCaller(of: plain) { return refusal(error, of: request) }
        if request.headers[.secPurpose]?.contains("prefetch") == true {
            let error = HTTPError(
                .serviceUnavailable, "a handler is not started by a prefetch; ask again when it is needed")
            return refusal(error, of: request)
        }
        do {
            return try await handle(try await named(plain), original: request, on: loop)
        } catch {
            var response = reply(known(error, in: request.path, request))
            response.answeredBy = "no handler"
            return response
        }
    }

    private func passThrough(_ request: Request) async throws -> Response {
        guard let response = try await answerFromBehind(request) else {
            var error = HTTPError.nothingBehind(request.path)
            if let segments = Target.segments(of: request.path), let (route, _) = matches(segments).first {
                error.message +=
                    "; a handler (\(route.name)) has this path: add _mobile_bridge=1 to the query"
            }
            throw error
        }
        return response
    }

    /// What lies behind the gateway answers, or declines.
    func answerFromBehind(_ request: Request) async throws -> Response? {
        var response = try await behind.respond(to: request)
        response?.answeredBy = "passed"
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
        let start = ContinuousClock.now
        var response: Response
        do {
            let request = try await withBody(as: route.handler.bodyMode, request)
            tell(
                request, "\(route.name) is asked",
                [Array(request.query.text.utf8), request.doorInput?.bytes ?? request.body.bytes ?? []])
            response = try reply(try await Load(route, request, on: loop).answer())
        } catch {
            response = reply(known(error, in: route.name, request))
        }
        response.answeredBy = "handler \(route.name)"
        // W3C Server Timing: browsers show it beside their own times.
        let timing = "handler;desc=\"\(route.name)\";dur=\(start.duration(to: .now).milliseconds)"
        response.headers.append(HTTPField(name: .serverTiming, value: timing))
        if case .bytes(let bytes) = response.body { tell(request, "\(route.name) answers", [bytes]) }
        return response
    }

    /// For whoever debugs a page: what goes in and out, at the level `debug`.
    private func tell(
        _ request: Request, _ what: @autoclosure () -> String, _ texts: @autoclosure () -> [[UInt8]]
    ) {
        guard logger.logLevel <= .debug else { return }
        let shown = texts().filter { !$0.isEmpty }.map { bytes in
            String(decoding: bytes.prefix(Self.toldBytes), as: UTF8.self)
                + (bytes.count > Self.toldBytes ? " [...]" : "")
        }
        request.logger.debug("\(([what()] + shown).joined(separator: " "))")
    }

    /// Longer texts are cut in the log.
    private static let toldBytes = 500

    /// The engine collects a body by the first route that fits; the one that takes the request may want it otherwise.
    private func withBody(as mode: BodyMode, _ request: Request) async throws -> Request {
        guard case .collected(let limit) = mode, request.body.bytes == nil else { return request }
        var request = request
        request.body = Request.Body(try await request.body.collect(upTo: limit ?? bodyLimit))
        return request
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
        if let error = access.refusesHost(of: request) { return refused(error, request) }
        guard let plain = intercept(request) else { return .taken(.streamed) }
        if access.preflight(request) == nil, let error = access.refusesCaller(of: plain) {
            return refused(error, request)
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

    private func refused(_ error: HTTPError, _ request: Request) -> Admission {
        var request = request
        request.name()
        return .refused(request, finish(refusal(error, of: request), for: request))
    }
}
