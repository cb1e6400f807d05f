extension Request {
    /// The session that a request says it belongs to, by `X-Drawbridge-Session` or by its cookie.
    ///
    /// A page's calls belong to the session of its document.
    package var session: Session {
        if let session = channelCall?.session { return session }
        if !isAnonymous, let name = headers.value(.session), let session = Session(name) { return session }
        guard !ownCookies.isEmpty else { return .usual }
        return ownCookies[Session.cookie(port: ownPort)].flatMap(Session.init) ?? .usual
    }

    /// The port by which its caller reaches the gateway.
    package var ownPort: Int { site?.port ?? (scheme == "https" ? 443 : 80) }
}
