import Curl
import Drawbridge
import EventLoop
import HTTPTypes
import MicroHTTPD

/// Sends requests to one server and makes its answers ours.
struct UpstreamSender: Sendable {
    private let url: UpstreamURL
    private let origin: Origin
    private let options: Upstream.Options
    private let forwarding: Forwarding
    /// What is said of failures; nil for nothing.
    private let record: UpstreamRecord?
    /// Says which addresses may not be asked; nil where all may.
    private let guardian: UpstreamLoad.Guardian?

    init(
        _ url: UpstreamURL, _ options: Upstream.Options, record: UpstreamRecord?,
        guardian: UpstreamLoad.Guardian? = nil
    ) {
        self.url = url
        self.options = options
        self.guardian = guardian
        self.record = record
        origin = Origin(
            url: url.origin, unixSocket: url.socketPath, isInsecure: options.isInsecure,
            certificates: options.certificates)
        forwarding = Forwarding(tellsCaller: options.tellsCaller, keepsHost: options.keepsHost)
    }

    /// Whether a request is to go on as a WebSocket.
    func isTunnel(_ request: Request) -> Bool {
        request.method == .get && WebSocketHandshake.isAsked(by: request.headers)
    }

    /// Sends a request, and answers in the server's place where that fails.
    ///
    /// - Parameters:
    ///   - target: the target that the server gets.
    ///   - route: leads back to the gateway; nil where answers stay as they are.
    func send(_ request: Request, _ target: String, by route: UpstreamRoute?) async -> Response {
        if isTunnel(request) { return await openTunnel(request, target, by: route) }
        let loop: Loop
        do {
            loop = try LoopClient.loop()
        } catch {
            return Gateway.refusal(HTTPError(.badGateway, "\(error)"))
        }
        let cancelling = Cancelling()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    cancelling.set(
                        begin(request, target, by: route, on: loop) { continuation.resume(returning: $0) })
                }
            }
        } onCancel: {
            cancelling.cancel()
        }
    }

    /// The same on a loop, without a task.
    ///
    /// - Parameter tell: called once with the answer, also where it is cancelled.
    /// - Returns: what cancels it, until the answer is there.
    func begin(
        _ request: Request, _ target: String, by route: UpstreamRoute?, on loop: Loop,
        _ tell: @escaping (Response) -> Void
    ) -> @Sendable () -> Void {
        if let refusal = refuses(request, target) {
            tell(refusal)
            return {}
        }
        let caller = Caller(of: request)
        let load = UpstreamLoad(on: loop, host: url.authority, guardian: guardian)
        let out = TransferRequest(
            origin, request.method, target, host: forwarding.host(at: url, for: caller),
            fields: forwarding.requestFields(request.headers, from: caller), body: .init(of: request),
            connectLimit: options.connectTimeout.wholeMilliseconds,
            headLimit: options.answerTimeout.wholeMilliseconds)
        load.start(out, request.body) { result in
            switch result {
            case .success(let beginning):
                record?.succeeded(request.logger)
                var response = Response(
                    beginning.head.status, headers: fields(beginning.head, caller, by: route),
                    body: UpstreamBody.of(load, beginning, to: request))
                response.isRelayed = true
                tell(response)
            case .failure(let error):
                tell(answer(to: request, insteadOf: error))
            }
        }
        return load.cancel
    }

    /// What comes round to this gateway again would do so for ever; and a handler may have changed the target to one that
    /// would be more than a request line's second word.
    private func refuses(_ request: Request, _ target: String) -> Response? {
        guard !target.isEmpty, target.utf8.allSatisfy(\.isTargetByte) else {
            let message = "a handler made a target that is none, with a space, say; percent-encode it"
            return Gateway.refusal(HTTPError(.internalServerError, message))
        }
        guard Via.own.isNamed(in: request.headers) else { return nil }
        return Gateway.refusal(
            HTTPError(
                .loopDetected,
                """
                \(request.path) has come round: \(url.name) leads back to this gateway; let --upstream name the \
                page's own server
                """))
    }

    /// The fields of an answer as the caller gets them.
    func fields(_ head: ResponseHead, _ caller: Caller, by route: UpstreamRoute?) -> HTTPFields {
        forwarding.responseFields(
            head.fields, isOldVersion: head.isOldVersion,
            mapping: options.bringsHome
                ? route.map { ReverseMapping($0, for: caller, keepsHost: options.keepsHost) } : nil)
    }
}

extension UpstreamSender {
    /// Lets bytes go through once the server has agreed.
    private func openTunnel(_ request: Request, _ target: String, by route: UpstreamRoute?) async -> Response
    {
        if let refusal = refuses(request, target) { return refusal }
        if let error = request.gateway?.access.refusesSocket(of: request) { return Gateway.refusal(error) }
        let caller = Caller(of: request)
        do {
            let opening = UpstreamOpening(
                on: try LoopClient.loop(), origin, host: url.authority,
                connectLimit: options.connectTimeout.wholeMilliseconds,
                headLimit: options.answerTimeout.wholeMilliseconds, guardian: guardian)
            let beginning = try await opening.open(
                target, host: forwarding.host(at: url, for: caller),
                forwarding.upgradeFields(request.headers, from: caller))
            record?.succeeded(request.logger)
            var response = Response(
                beginning.head.status, headers: fields(beginning.head, caller, by: route),
                body: .bytes(beginning.body))
            response.isRelayed = true
            guard let tunnel = beginning.tunnel else { return response }
            response.headers[.upgrade] = beginning.head.fields[.upgrade] ?? "websocket"
            response.headers[.connection] = "Upgrade"
            response.body = .upgrade(tunnel)
            return response
        } catch {
            return answer(to: request, insteadOf: error)
        }
    }

    /// What a caller gets when the server does not answer.
    private func answer(to request: Request, insteadOf error: any Error) -> Response {
        guard let error = error as? TransferError else {
            // Nobody waits for it any more.
            return Gateway.refusal(
                HTTPError(.badGateway, "\(request.path) was given up: its caller has left"))
        }
        record?.failed(error, request.logger)
        let status: HTTPResponse.Status =
            switch error.kind {
            case .unreachable, .malformed: .badGateway
            case .late: .gatewayTimeout
            case .forbidden: .forbidden
            }
        guard error.kind == .unreachable, request.method == .get, request.isForPage else {
            return Gateway.refusal(HTTPError(status, error.description))
        }
        return RetryPage.response(status, error.description)
    }
}

extension Caller {
    init(of request: Request) {
        self.init(
            address: request.remoteAddress, scheme: request.scheme, authority: request.authority,
            isOldVersion: request.isOldVersion)
    }
}

extension TransferRequest.Body {
    /// The body of a request, as its framing needs it.
    fileprivate init(of request: Request) {
        guard let bytes = request.body.bytes else {
            self = .stream(length: request.body.length)
            return
        }
        if !bytes.isEmpty {
            self = .bytes(bytes)
        } else {
            // RFC 9110, section 8.6: these say so when they have none.
            switch request.method {
            case .post, .put, .patch: self = .bytes([])
            default: self = .none
            }
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}

extension HTTPResponse.Status {
    /// RFC 5842, section 7.2.
    fileprivate static let loopDetected = Self(code: 508, reasonPhrase: "Loop Detected")
}
