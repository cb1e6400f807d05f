import HTTPClient
import HTTPGrammar
import MicroHTTPD

/// Forwards requests to one upstream, and converts its responses to the gateway's.
final class UpstreamSender: Sendable {
    private let url: UpstreamURL
    private let origin: Origin
    private let options: Upstream.Options
    private let record: UpstreamRecord
    /// Checks each address before connecting; nil if all addresses are allowed.
    private let guardian: Transfer.Guardian?

    init(
        _ url: UpstreamURL, _ options: Upstream.Options, record: UpstreamRecord,
        guardian: Transfer.Guardian? = nil
    ) {
        self.url = url
        self.options = options
        self.guardian = guardian
        self.record = record
        let trust: Origin.Trust =
            options.isInsecure ? .anybody : options.certificates.map { .file($0) } ?? .system
        origin = Origin(
            url.socketPath.map { .socket($0) } ?? .host(url.host, port: url.port),
            trust: url.scheme == "https" ? trust : nil)
    }

    /// Whether to open a WebSocket at the upstream; HTTP/1.0 has no `Upgrade` (RFC 9110, section 7.8).
    func isTunnel(_ request: Request) -> Bool {
        request.method == .get && !request.isOldVersion && request.body.bytes?.isEmpty == true
            && WebSocketHandshake.isAsked(by: request.headers)
    }

    /// Sends a request; if that fails, it returns an error response.
    ///
    /// - Parameters:
    ///   - target: the request target for the upstream.
    ///   - mapping: rewrites addresses in header fields; nil for none.
    func send(_ request: Request, _ target: String, by mapping: UpstreamMapping?) async -> Response {
        let fetch: UpstreamFetch
        do {
            fetch = self.fetch(on: try Self.caller(of: request)?.loop ?? HTTPClient.loop())
        } catch {
            return Gateway.refusal(HTTPError(.badGateway, "\(error)"))
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                fetch.loop.perform { [self] in
                    begin(fetch, request, target, by: mapping) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            fetch.cancel()
        }
    }

    private static func caller(of request: Request) -> Exchange? { request.caller as? Exchange }

    /// Makes a fetch for one request; it may be cancelled before it begins.
    func fetch(on loop: Loop) -> UpstreamFetch {
        UpstreamFetch(on: loop, host: url.authority, guardian: guardian)
    }

    /// Sends a request without a task, on the fetch's loop.
    ///
    /// - Parameter tell: called once with the response, also if the fetch is cancelled.
    func begin(
        _ fetch: UpstreamFetch, _ request: Request, _ target: String, by mapping: UpstreamMapping?,
        _ tell: @escaping (Response) -> Void
    ) {
        let isTunnel = isTunnel(request)
        if let answer = ownAnswer(to: request, target, isTunnel: isTunnel) { return tell(answer) }
        let out = TransferRequest(
            origin, request.method, target, host: forwarding(request).host(at: url, for: request),
            fields: requestFields(request, by: mapping), body: .init(of: request),
            connectLimit: options.connectTimeout.wholeMilliseconds,
            silenceLimit: options.answerTimeout.wholeMilliseconds,
            upgrade: isTunnel ? "websocket" : nil, caller: Self.caller(of: request))
        fetch.start(out, request.body) { [self] result in
            switch result {
            case .success(let beginning):
                record.succeeded(request.logger)
                tell(response(beginning, of: fetch, to: request, by: mapping))
            case .failure(let error):
                tell(failure(of: request, error))
            }
        }
    }

    /// The response to a request that must not be forwarded; nil for any other.
    ///
    /// A handler may have made a target with a space or line break, which would change the request line or add header
    /// fields. A request that has already passed this gateway would loop. `OPTIONS` may end here, by `Max-Forwards`.
    private func ownAnswer(to request: Request, _ target: String, isTunnel: Bool) -> Response? {
        guard !target.isEmpty, target.utf8.allSatisfy(\.isTargetByte) else {
            let message = "a handler made an invalid target, with a space for instance; percent-encode it"
            return Gateway.refusal(HTTPError(.internalServerError, message))
        }
        if !request.isAnonymous, request.via.isNamed(in: request.headers) {
            return Gateway.refusal(
                HTTPError(
                    .loopDetected,
                    """
                    \(request.path) is a loop: \(url.name) leads back to this gateway; let --upstream name the \
                    page's own server
                    """))
        }
        if isTunnel, let error = request.answerer?.refusesSocket(of: request) {
            return Gateway.refusal(error)
        }
        if request.method == .options, Self.maxForwards(of: request) == 0 {
            return Response(.ok, headers: [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
        }
        return nil
    }

    /// How many more times an `OPTIONS` may be forwarded (RFC 9110, section 7.6.2); nil if there is no valid number, so
    /// that the field is forwarded unchanged.
    private static func maxForwards(of request: Request) -> Int? {
        request.method == .options ? request.headers[.maxForwards].flatMap { Int(plain: $0) } : nil
    }

    private func forwarding(_ request: Request) -> Forwarding {
        Forwarding(via: request.via, tellsCaller: options.tellsCaller, keepsHost: options.keepsHost)
    }

    private func requestFields(_ request: Request, by mapping: UpstreamMapping?) -> FieldText {
        let isServers = options.rewritesAddresses && !options.keepsHost
        var sent = request.headers
        if let left = Self.maxForwards(of: request) { sent[.maxForwards] = String(left - 1) }
        return forwarding(request).request(
            sent, from: request,
            mapping: isServers ? mapping.map { OutwardMapping(mapping: $0, caller: request) } : nil)
    }

    /// Warns once about a redirect that leaves the gateway, or that leads to the same URL again.
    private func tell(of answer: Response, to request: Request) {
        guard options.rewritesAddresses, answer.status.kind == .redirection,
            let location = answer.headers[.location],
            DocumentRequest(request) != .other,
            request.method == .get || request.method == .head
        else { return }
        guard let (scheme, rest) = ReverseMapping.afterScheme(location.utf8) else {
            if location == request.target { tellOfCircle(answer, request) }
            return
        }
        let end = rest.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let name = String(Substring(rest[..<end]))
        let origin = "\(scheme ?? request.scheme)://\(name)"
        if Authority(name) == Authority(request.authority) {
            let target = rest[end...].isEmpty ? "/" : String(Substring(rest[end...]))
            if scheme ?? request.scheme == request.scheme, target == request.target {
                tellOfCircle(answer, request)
            }
        } else if origin != url.origin, Authority(name) != nil {
            record.tell(
                """
                \(url.name) redirects \(request.path) to \(origin), where the page leaves the gateway and has no native side; \
                if that is the same server, start with --upstream \(origin)
                """, about: origin, request.logger)
        }
    }

    private func tellOfCircle(_ answer: Response, _ request: Request) {
        // With a cookie set by this response, the next request may get another response.
        guard !answer.headers.contains(.setCookie) else { return }
        let advice =
            options.keepsHost
            ? "leave --keep-host out, or start with --upstream https://…" : "try --keep-host"
        record.tell(
            """
            \(url.name) redirects \(request.path) to itself; it may expect another host name or https: \(advice)
            """, about: request.path, request.logger)
    }

    private func response(
        _ beginning: UpstreamFetch.Beginning, of fetch: UpstreamFetch, to request: Request,
        by mapping: UpstreamMapping?
    ) -> Response {
        var reverse = (options.rewritesAddresses ? mapping : nil).map {
            ReverseMapping(mapping: $0, caller: request, keepsHost: options.keepsHost)
        }
        let head = beginning.head
        var response = Response(
            head.status,
            relaying: forwarding(request).response(
                head.text, isOldVersion: head.isOldVersion, mapping: reverse),
            body: UpstreamBody.of(fetch, beginning, to: request))
        if reverse != nil, response.typeText?.hasPrefix("text/html") == true,
            DocumentRequest(request) != .other
        {
            let tell = { @Sendable [self] in
                record.tell(
                    """
                    \(url.name) writes its own address into links of \(request.path): they lead out of the gateway, where the \
                    page has no native side; start with --keep-host, or let the server write paths
                    """, about: "links", request.logger)
            }
            if !options.keepsHost { reverse?.links = (Array(url.origin.utf8), tell) }
            response.addressRewriter = reverse
        }
        tell(of: response, to: request)
        guard let tunnel = beginning.tunnel else { return response }
        response.headers[.upgrade] = "websocket"
        response.headers[.connection] = "Upgrade"
        response.body = .init(.upgrade(tunnel))
        return response
    }

    private func failure(of request: Request, _ error: any Error) -> Response {
        if let error = error as? HTTPError { return Gateway.refusal(error) }
        guard let error = error as? TransferError else {
            // The fetch was cancelled because the client has disconnected, so this response is not sent.
            return Gateway.refusal(
                HTTPError(.badGateway, "\(request.path) was given up: its client has disconnected"))
        }
        record.failed(error, request.logger)
        let status: HTTPResponse.Status =
            switch error.kind {
            case .unreachable, .malformed: .badGateway
            case .late: .gatewayTimeout
            case .forbidden: .forbidden
            }
        guard error.kind == .unreachable, request.method == .get, DocumentRequest(request) == .page else {
            return Gateway.refusal(HTTPError(status, error.description))
        }
        return RetryPage.response(status, error.description)
    }
}

extension TransferRequest.Body {
    fileprivate init(of request: Request) {
        self =
            switch (request.body.bytes, request.method) {
            case (nil, _): .stream(length: request.body.length)
            // Without a body, these methods have a Content-Length of 0 (RFC 9110, section 8.6).
            case (let bytes?, .post), (let bytes?, .put), (let bytes?, .patch): .bytes(bytes)
            case (let bytes?, _): bytes.isEmpty ? .none : .bytes(bytes)
            }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}

extension HTTPField.Name {
    fileprivate static let maxForwards = Self("Max-Forwards")!
}

extension HTTPResponse.Status {
    /// RFC 5842, section 7.2.
    fileprivate static let loopDetected = Self(code: 508, reasonPhrase: "Loop Detected")
}
