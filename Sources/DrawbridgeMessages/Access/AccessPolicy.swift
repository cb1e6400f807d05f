/// Decides which callers may call native; the defaults stop foreign web pages, which may be open in any browser.
///
/// The `Host` of every request must be one of the gateway's (against DNS rebinding), and a request for a handler must
/// not come from a foreign page. A refusal says which option would allow the request.
public struct AccessPolicy: Sendable {
    /// Host names that are allowed in addition to the loopback ones: lower case, without port.
    package private(set) var allowedHosts: Set<String>

    /// Origins of pages on other sites that may call and read the answers (CORS): `https://app.example`.
    package private(set) var allowedOrigins: Set<String>

    /// Whether callers on this machine need the page token too; callers on other machines always do.
    package var requiresToken: Bool

    /// The secret that the gateway's own pages send with their calls.
    public let token: PageToken

    /// What the links and cookies of other machines are made of; nil for a random secret.
    package var secret: SharedSecret?

    let trustedProxies: [AddressRange]

    /// Whether programs on other machines may use the tester's API, with its token.
    package var apiIsForOthers: Bool

    /// Which callers have the rights of this machine.
    package enum Trust: Sendable {
        /// Callers that connect from it, judged by address and header fields.
        case thisMachine
        /// No caller with a socket: in a container, all callers seem to have the same address.
        case nobody
        /// Every caller: for a gateway inside an app, which has no socket.
        case everybody
    }

    package var trust: Trust

    /// The origin under which browsers reach the gateway, if it is not that of the connection.
    package private(set) var publicOrigin: String?
    private(set) var publicSite: Authority?

    /// The gateway's name in `Via`, by which it recognises requests that it has forwarded itself.
    package var via: Via?

    /// Makes a policy that allows only loopback hosts and no foreign origins, except the listed ones.
    ///
    /// - Parameters:
    ///   - allowedHosts: host names that are allowed in addition to the loopback ones.
    ///   - allowedOrigins: origins of pages on other sites that may call.
    ///   - requiresToken: whether callers on this machine need the page token too; others always do.
    ///   - token: the page token.
    ///   - trustedProxies: addresses (`127.0.0.1`) and ranges (`10.0.0.0/8`) of proxies whose forwarding headers are
    ///     trusted; an invalid text is ignored.
    ///   - apiIsForOthers: whether programs on other machines may use the tester's API, with its token.
    ///   - trustsThisMachine: whether callers on this machine need no link; pass false if a container's port or a
    ///     tunnel makes every caller look like one.
    public init(
        allowedHosts: Set<String> = [], allowedOrigins: Set<String> = [], requiresToken: Bool = false,
        token: PageToken = PageToken(), trustedProxies: Set<String> = [], apiIsForOthers: Bool = false,
        trustsThisMachine: Bool = true
    ) {
        trust = trustsThisMachine ? .thisMachine : .nobody
        self.trustedProxies = trustedProxies.compactMap { try? AddressRange($0) }
        self.apiIsForOthers = apiIsForOthers
        self.allowedHosts = Set(allowedHosts.map { Authority($0)?.host ?? $0.lowercased() })
        self.allowedOrigins = Set(allowedOrigins.map { WebOrigin.of($0) ?? $0 })
        self.requiresToken = requiresToken
        self.token = token
    }

    /// Allows the public URL of the gateway: its host, and its origin, which is https if a server in front of the
    /// gateway ends TLS.
    package mutating func allow(_ url: String?) {
        guard let url, let origin = WebOrigin.of(url), let mark = origin.firstRange(of: "://"),
            let authority = Authority(String(origin[mark.upperBound...]))
        else { return }
        allowedHosts.insert(authority.host)
        (publicOrigin, publicSite) = (origin, authority)
    }

    /// Refuses a request whose host is not the gateway's, on every route; nil when it is allowed.
    package func refusesHost(of request: Request) -> HTTPError? {
        guard let text = request.authority else { return nil }
        guard let authority = request.site else {
            return HTTPError(.badRequest, "the Host header \(text) is not a host; send Host: localhost")
        }
        if isOwn(authority, request) { return nil }
        return HTTPError(
            .forbidden,
            """
            the host \(authority.host) may not be used to reach this gateway\
            \(request.isAbsoluteForm ? ", which is not a proxy" : ""); allow it with --allowed-hosts \(authority.host), in \
            code AccessPolicy(allowedHosts:)
            """,
            headers: [.connection: "close"])
    }

    /// Refuses a call that a foreign page made, or whose origin is unknown; nil when it is allowed.
    package func refusesCaller(of request: Request) -> HTTPError? {
        // Most programs on this machine send no field that says who calls. None of the checks below could refuse them,
        // so they are allowed at once.
        let isFromHere = isFromThisMachine(request)
        if request.isAnonymous, !requiresToken, !request.isAbsoluteForm, isFromHere,
            request.site?.isLocal == true
        {
            return nil
        }
        // A browser on another device sends its admission cookie even with a link, a form or a picture of a foreign
        // page, and these must start no handler. So it needs the page token too, which only pages of ours send.
        let needsToken = requiresToken || !isFromHere
        let sender = sender(of: request, doing: "call native")
        let verdict = request.headers.value(.pageToken).map { token.judge($0, from: address(of: request)) }
        switch verdict {
        case .throttled: return Self.throttled
        case .wrong:
            // A wrong token is no reason to refuse where no token is needed and the browser itself says that a page of
            // ours sent the request. It has an old token because it was open before the gateway was started again.
            if !needsToken, case .ownPage = sender { break }
            return HTTPError(
                .forbidden, "the page token is not this gateway's; reload the page to get the new one")
        case .right, nil: break
        }
        if case .otherPage(let error, isProvable: false) = sender { return error }
        if verdict == .right { return nil }
        if needsToken { return Self.tokenRequired }
        return switch sender {
        case .ownPage, .listedPage, .person: nil
        case .otherPage(let error, _): error
        case .unsaid: request.site?.isLocal == true ? nil : Self.isNotSaid
        }
    }

    /// Refuses a request of any page but the gateway's own and those of listed origins, even with the token; else nil.
    package func refusesPage(_ request: Request) -> HTTPError? {
        if listedOrigin(of: request) != nil { return nil }
        if !refusesOtherPages(request), !request.isAbsoluteForm { return nil }
        return HTTPError(.forbidden, "only pages that this gateway serves may ask for \(request.path)")
    }

    /// Whether the browser does not say that a page of the gateway sent this; also true of a listed page.
    package func refusesOtherPages(_ request: Request) -> Bool {
        switch sender(of: request, doing: "ask") {
        case .ownPage, .unsaid: false
        case .listedPage, .person, .otherPage: true
        }
    }

    /// Refuses another page than those of the gateway and of listed origins to do something; nil when it is allowed.
    package func refusesOtherPage(of request: Request, doing action: String) -> HTTPError? {
        if case .otherPage(let error, _) = sender(of: request, doing: action) { error } else { nil }
    }

    func listedOrigin(of request: Request) -> String? {
        request.headers.value(.origin).flatMap { isListed($0) ? $0 : nil }
    }

    /// Whether a host name is one of the gateway's.
    ///
    /// Loopback names are accepted only from callers on this machine, since others could send them too, or if no caller
    /// is trusted: then they grant nothing. An IP address is accepted if this connection was made to it.
    private func isOwn(_ host: Authority, _ request: Request) -> Bool {
        if allowedHosts.contains(host.host) { return true }
        if host.isLocal, trust == .nobody || isFromThisMachine(request) { return true }
        guard let address = request.localAddress.flatMap({ IPAddress($0) }) else { return false }
        return IPAddress(host.host) == address
    }

    /// Whether an origin is listed; `null` and `*` are not origins and never are.
    func isListed(_ origin: String) -> Bool {
        allowedOrigins.contains(origin) && WebOrigin.of(origin) == origin
    }

    /// Answers a preflight of a listed origin (Fetch, "CORS-preflight request").
    package func preflight(_ request: Request) -> Response? {
        guard request.method == .options, let origin = listedOrigin(of: request),
            let method = request.headers[.accessControlRequestMethod]
        else { return nil }
        var headers: HTTPFields = [
            .accessControlAllowOrigin: origin,
            .accessControlAllowMethods: method,
            .accessControlMaxAge: "600",
            .vary: "Origin",
        ]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        if request.headers[.requestPrivateNetwork] == "true" { headers[.allowPrivateNetwork] = "true" }
        return Response(.noContent, headers: headers)
    }

    /// Adds the CORS header fields by which a listed origin can read the answer, if any origin is listed.
    package func addHeaders(to response: inout Response, for request: Request) {
        response.ownHeaders.vary(by: "Origin")
        guard let origin = listedOrigin(of: request) else { return }
        response.ownHeaders[.accessControlAllowOrigin] = origin
        response.ownHeaders[.accessControlExposeHeaders] = "X-Request-Id, X-Drawbridge-Hint"
    }

    package static let throttled = HTTPError(
        .tooManyRequests, "too many wrong page tokens; reload the page and try again in a second")

    static let tokenRequired = HTTPError(
        .forbidden,
        """
        this call needs the page token, which pages of the gateway send as X-Drawbridge-Token; a program on this machine \
        needs none if it asks localhost for a path, not a whole URL; in code the token is gateway.access.token.text
        """)

    /// A call from this machine by a name at which browsers say too little.
    private static let isNotSaid = HTTPError(
        .forbidden,
        """
        by http, at a name other than localhost, browsers do not say which page this image, link, form or worker is \
        from, unless the page has a path, such as /index.html; let it call by fetch or XMLHttpRequest, or open it at \
        localhost or by https; a program must ask localhost, or send the page token as X-Drawbridge-Token
        """)
}
