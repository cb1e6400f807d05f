import Curl
import Drawbridge
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

    /// Sends a request, and answers in the server's place where that fails.
    ///
    /// - Parameters:
    ///   - target: the target that the server gets.
    ///   - route: leads back to the gateway; nil where answers stay as they are.
    func send(_ request: Request, _ target: String, by route: UpstreamRoute?) async -> Response {
        if Via.own.isNamed(in: request.headers) {
            return Gateway.refusal(
                HTTPError(
                    .loopDetected,
                    "\(request.path) has come round: \(url.name) leads back to this gateway; "
                        + "let --upstream name the page's own server"))
        }
        do {
            var response =
                request.method == .get && WebSocketHandshake.isAsked(by: request.headers)
                ? try await openTunnel(request, target, by: route)
                : try await transfer(request, target, by: route)
            record?.succeeded(request.logger)
            response.isRelayed = true
            return response
        } catch let error as TransferError {
            record?.failed(error, request.logger)
            return answer(to: request, insteadOf: error)
        } catch {
            // The caller has left.
            return Gateway.refusal(HTTPError(.badGateway, "the caller has left"))
        }
    }

    private func transfer(
        _ request: Request, _ target: String, by route: UpstreamRoute?
    ) async throws -> Response {
        let caller = Caller(of: request)
        let load = UpstreamLoad(on: try LoopClient.loop(), host: url.authority, guardian: guardian)
        let body = UpstreamBody(load)
        let beginning = try await load.start(
            TransferRequest(
                origin, request.method, target, host: forwarding.host(at: url, for: caller),
                fields: forwarding.requestFields(request.headers, from: caller), body: .init(of: request),
                connectLimit: options.connectTimeout.wholeMilliseconds,
                headLimit: options.answerTimeout.wholeMilliseconds),
            request.body)
        return Response(
            beginning.head.status, headers: fields(beginning.head, caller, by: route),
            body: body.incoming(beginning, of: request))
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
    private func openTunnel(
        _ request: Request, _ target: String, by route: UpstreamRoute?
    ) async throws -> Response {
        if let error = request.gateway?.access.refusesSocket(of: request) { return Gateway.refusal(error) }
        let caller = Caller(of: request)
        let opening = UpstreamOpening(
            on: try LoopClient.loop(), origin, host: url.authority,
            connectLimit: options.connectTimeout.wholeMilliseconds,
            headLimit: options.answerTimeout.wholeMilliseconds, guardian: guardian)
        let beginning = try await opening.open(
            target, host: forwarding.host(at: url, for: caller),
            forwarding.upgradeFields(request.headers, from: caller))
        var headers = fields(beginning.head, caller, by: route)
        guard let tunnel = beginning.tunnel else {
            return Response(beginning.head.status, headers: headers, body: .bytes(beginning.body))
        }
        headers[.upgrade] = beginning.head.fields[.upgrade] ?? "websocket"
        headers[.connection] = "Upgrade"
        return Response(.switchingProtocols, headers: headers, body: .upgrade(tunnel))
    }

    /// What a caller gets when the server does not answer.
    private func answer(to request: Request, insteadOf error: TransferError) -> Response {
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
        self.init(address: request.remoteAddress, scheme: request.scheme, authority: request.authority)
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
