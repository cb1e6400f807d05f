import HTTPTypes

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

// Finds out who sent a request, by its connection and header fields. All other checks of access build on that.
extension AccessPolicy {
    /// True when the caller is on this machine, and when there is no socket at all.
    ///
    /// The peer of the connection must be loopback, and no header field may say that the request was forwarded: a web
    /// server or a tunnel of this machine forwards callers from anywhere. Where a trusted proxy names its caller, that
    /// address must be loopback.
    package func isFromThisMachine(_ request: Request) -> Bool {
        if trust != .thisMachine { return trust == .everybody || request.remoteAddress == nil }
        if isForwarded(request) { return sender(of: request)?.isLoopback == true }
        guard let address = request.remoteAddress, address != "127.0.0.1", address != "::1" else {
            return true
        }
        return IPAddress(address)?.isLoopback == true
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
