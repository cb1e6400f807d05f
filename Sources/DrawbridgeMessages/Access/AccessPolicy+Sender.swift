extension Request {
    /// Whether whoever sent it is on the gateway's own machine, as far as its connection and its header fields tell; true
    /// also where there is no connection.
    ///
    /// What acts on that machine, and not on the page, is for them alone: opening a program there, for instance.
    public var isFromThisMachine: Bool { answerer?.isFromThisMachine(self) != false }
}

// Who sent a request, as far as its connection and its header fields tell. Everything else about access follows it.
extension AccessPolicy {
    /// True when whoever sent a request is on this machine, and when there is no socket at all.
    ///
    /// The peer of the connection must be loopback, and no header field may say that somebody else stands behind it: a
    /// web server or a tunnel of this machine brings callers from everywhere. Where a trusted proxy says for whom it
    /// asks, that address must be loopback.
    package func isFromThisMachine(_ request: Request) -> Bool {
        if isForwarded(request) { return sender(of: request)?.isLoopback == true }
        guard let address = request.remoteAddress, address != "127.0.0.1", address != "::1" else {
            return true
        }
        return IPAddress(address)?.isLoopback == true
    }

    /// The address of who sent a request, for logs and to tell callers apart; nil where there is no socket.
    package func address(of request: Request) -> String? {
        guard isForwarded(request) else { return request.remoteAddress }
        return sender(of: request)?.description ?? request.remoteAddress
    }

    /// Whether a request came by way of others than this gateway.
    package func isForwarded(_ request: Request) -> Bool {
        request.isForwarded && request.headers.contains { ForwardedChain.isMark($0, except: via) }
    }

    /// The address that a chain of proxies names; nil where nobody who is trusted names one.
    ///
    /// A request that this gateway sent on, and that came back to it, counts as one from a trusted proxy.
    private func sender(of request: Request) -> IPAddress? {
        guard let peer = request.remoteAddress.flatMap({ IPAddress($0) }) else { return nil }
        let isOwn = peer.isLoopback && via?.isLast(in: request.headers) == true
        guard isOwn || isTrusted(peer) else { return nil }
        return ForwardedChain.sender(of: request.headers, peer: peer) { $0 == peer && isOwn || isTrusted($0) }
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }
}
