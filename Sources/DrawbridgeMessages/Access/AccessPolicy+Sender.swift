extension Request {
    /// Whether the caller is on the gateway's own machine, judged by the connection and the header fields; also true
    /// without a connection.
    ///
    /// Check this before you act on that machine, for example before you open a program there.
    public var isFromThisMachine: Bool { answerer?.isFromThisMachine(self) != false }

    /// Whether a browser sent it, judged by header fields that browsers add and that a page cannot remove.
    ///
    /// A request without such fields comes from a program, whatever its `User-Agent` says.
    package var hasBrowserMark: Bool {
        let marks: [HTTPField.Name] = [.origin, .secFetchSite, .secFetchDest, .referer]
        if marks.contains(where: headers.contains) { return true }
        guard let languages = headers.value(.acceptLanguage), languages != "*" else { return false }
        return headers.value(.userAgent)?.contains("Mozilla") == true
    }
}

/// Who sent a request, by fields that no page can set: SECURITY.md has the table, in its order.
enum Sender {
    case ownPage, listedPage
    /// By `Sec-Fetch-Site: none`: an address that somebody typed, or a bookmark.
    case person
    /// Refused; with `isProvable`, the page token says that it is a page of the gateway after all.
    case otherPage(HTTPError, isProvable: Bool)
    /// A program, or a browser at a plain http name, where it says nothing of images, links, workers and forms by GET.
    case unsaid
}

// Finds out who sent a request, by its connection and header fields. All other checks of access build on that.
extension AccessPolicy {
    /// - Parameter action: what another page may not do, for its refusal.
    func sender(of request: Request, doing action: String) -> Sender {
        func other(_ page: String, _ remedy: String, isProvable: Bool = false) -> Sender {
            .otherPage(HTTPError(.forbidden, "\(page) may not \(action); \(remedy)"), isProvable: isProvable)
        }
        let (site, origin) = (request.headers.value(.secFetchSite), request.headers.value(.origin))
        if let origin {
            let isOwn = [publicOrigin, request.ownOrigin].contains(origin)
            if !isOwn, isListed(origin) { return .listedPage }
            // `null` is also what a page with `Referrer-Policy: no-referrer` sends to its own server.
            if origin == "null", site != "same-origin" {
                return other(
                    "a page without an origin (a file, a sandbox, or at plain http a page with Referrer-Policy: no-referrer)",
                    "serve it with --root, and let it say Referrer-Policy: same-origin",
                    isProvable: site == nil && request.site?.isLocal == false)
            }
            if origin != "null", !isOwn {
                let isBehindTLS = origin == request.ownOrigin.map { "https\($0.dropFirst(4))" }
                return other(
                    "a page of \(origin)",
                    isBehindTLS
                        ? "if a server in front ends TLS, start with --public-url \(origin)"
                        : "allow it with --cors \(origin), in code AccessPolicy(allowedOrigins:)")
            }
        }
        // A browser sends a whole URL as the target only to its proxy, and any page that is open there could have asked. A
        // page can change `User-Agent` and empty `Accept-Language`, but leave out neither that nor `Accept-Encoding`
        // (Fetch, "forbidden request-header"): whoever sends neither is a program, such as `curl -x`.
        if request.isAbsoluteForm {
            let marks: [HTTPField.Name] = [.acceptLanguage, .acceptEncoding]
            return request.hasBrowserMark || marks.contains(where: request.headers.contains)
                ? .otherPage(Self.tokenRequired, isProvable: true) : .unsaid
        }
        switch site {
        case "same-origin": return .ownPage
        case "none": return .person
        case nil: return origin != nil || isReferredByOwnPage(request) ? .ownPage : .unsaid
        default:
            return other(
                "a page of another site",
                "serve it here with --root, or let it call with CORS: --cors ORIGIN",
                isProvable: true)
        }
    }

    /// Whether the `Referer` is a page of the gateway's with its path.
    ///
    /// At a plain http name, browsers say no more of a request without `Origin`. They cut it to the origin as soon as
    /// another origin has a part in the request, such as a server that redirects here (Referrer Policy, section 3.7).
    private func isReferredByOwnPage(_ request: Request) -> Bool {
        guard let address = request.headers.value(.referer),
            let end = address.utf8.dropFirst("https://".utf8.count).firstIndex(of: UInt8(ascii: "/")),
            address.utf8.index(after: end) != address.endIndex
        else { return false }
        return [publicOrigin, request.ownOrigin].contains(String(address[..<end]))
    }

    /// The scheme and authority by which the caller reached the gateway, where the request says others: those of
    /// `--public-url`, or what a trusted proxy says (`X-Forwarded-Proto` and `-Host`, or `Forwarded`).
    package func wayHere(of request: Request) -> (scheme: String, authority: String)? {
        // The inspector trusts everybody, and compares the `Host` as it came.
        guard publicOrigin != nil || request.isForwarded, trust != .everybody, var host = request.site else {
            return nil
        }
        let isForwarded = isForwarded(request)
        let peer = isForwarded ? request.remoteAddress.flatMap { IPAddress($0) } : nil
        let isBelieved = peer.map(isTrusted) == true
        var way = (scheme: request.scheme, authority: request.authority ?? "")
        if isBelieved, let name = ForwardedChain.last("host", in: request.headers),
            let said = Authority(name), allowedHosts.contains(said.host)
        {
            (host, way.authority) = (said, name)
        }
        if let publicOrigin, let own = publicSite,
            host.host == own.host ? [nil, own.port].contains(host.port) : isForwarded && host.isLocal
        {
            way.scheme = publicOrigin.hasPrefix("https:") ? "https" : "http"
            way.authority = String(publicOrigin.dropFirst(way.scheme.count + 3))
        } else if isBelieved, let scheme = ForwardedChain.last("proto", in: request.headers)?.lowercased() {
            // Of a WebSocket, some proxies say `wss`.
            way.scheme = ["https", "wss"].contains(scheme) ? "https" : "http"
        }
        return way == (request.scheme, request.authority) ? nil : way
    }

    /// True when the caller is on this machine, and when there is no socket at all.
    ///
    /// The peer of the connection must be loopback, and no header field may say that the request was forwarded: a web
    /// server or a tunnel of this machine forwards callers from anywhere. Where a trusted proxy names its caller, that
    /// address must be loopback.
    package func isFromThisMachine(_ request: Request) -> Bool {
        if trust != .thisMachine { return trust == .everybody || request.remoteAddress == nil }
        if isForwarded(request) { return sender(of: request)?.isLoopback == true }
        return request.remoteAddress.map(IPAddress.isLoopback) != false
    }

    /// The caller's address, for logs and to tell callers apart; nil where there is no socket.
    package func address(of request: Request) -> String? {
        guard isForwarded(request) else { return request.remoteAddress }
        return sender(of: request)?.description ?? request.remoteAddress
    }

    /// Whether a request came through a proxy other than this gateway.
    package func isForwarded(_ request: Request) -> Bool {
        request.isForwarded && request.headers.contains { ForwardedChain.isMark($0, except: via) }
    }

    /// The caller's address as a trusted proxy reports it; nil if none does.
    ///
    /// A request that this gateway sent on, and that came back to it, is treated as one from a trusted proxy.
    private func sender(of request: Request) -> IPAddress? {
        guard let peer = request.remoteAddress.flatMap({ IPAddress($0) }) else { return nil }
        let isOwn = peer.isLoopback && via?.isLast(in: request.headers) == true
        guard isOwn || isTrusted(peer) else { return nil }
        return ForwardedChain.sender(of: request.headers, peer: peer) { $0 == peer && isOwn || isTrusted($0) }
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }
}
