// Decides which callers are admitted. This is checked first, for every request.
extension Gateway {
    /// Refuses a foreign `Host`, and a caller on another machine without an admission; nil if the request is admitted.
    ///
    /// The admission is stored in the request, for ``hold(_:_:)``, and the address by which its caller reached the gateway.
    ///
    /// Callers on other machines never get the rights of this machine, even if the gateway listens on a public address.
    /// The refusal tells them nothing: no name, no version, no handlers, no way in.
    package func refusesEntry(of request: inout Request) -> Response? {
        // A call by a page's WebSocket was admitted with that WebSocket, which is closed when the admission ends.
        if request.channelCall != nil || request.isFromApp { return nil }
        let error = access.refusesHost(of: request)
        if let way = access.wayHere(of: request) { request.came(by: way) }
        if access.isFromThisMachine(request) { return error.map { refusal($0, of: request) } }
        if let error { return closed(.forbidden, request, error.message) }
        if OwnPath(of: request)?.isForEverybody == true { return nil }
        switch judgeAdmission(of: &request) ?? judgeProgram(request) {
        case .right: return nil
        case .throttled: return closed(.tooManyRequests, request, "it has sent too many wrong secrets")
        case .wrong:
            return closed(.forbidden, request, "its admission has ended; open a new link on that device")
        case nil
        where access.isForwarded(request)
            && request.remoteAddress.map(IPAddress.isLoopback) != false:
            return closed(
                .forbidden, request,
                """
                it came through a proxy, and has no admission; open the printed link on that device, or name a proxy \
                that checks its callers and sends X-Forwarded-For: --trusted-proxy \(request.remoteAddress ?? "ADDRESS")
                """)
        case nil:
            return closed(.forbidden, request, "it has no admission; open the printed link on that device")
        }
    }

    /// The cookie that proves a browser's admission; its name contains the port, since a browser sends a cookie to all
    /// ports of a host.
    package func admissionCookie(for request: Request) -> (name: String, isSecure: Bool) {
        let isSecure = request.scheme == "https"
        return ("\(isSecure ? "__Host-" : "")drawbridge-\(request.ownPort)", isSecure)
    }

    /// Registers a long response or a WebSocket, which is closed when the admission of its request ends.
    ///
    /// - Parameter close: called when the admission ends, from any thread; at once where it has ended already.
    /// - Returns: a function to call when it closes for another reason; nil without an admission, or if that has ended.
    package func hold(
        _ request: Request, _ close: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        guard let admission = request.admission else { return nil }
        let release = admissions.hold(admission, close)
        if release == nil { close() }
        return release
    }

    private func judgeAdmission(of request: inout Request) -> Verdict? {
        guard !request.ownCookies.isEmpty, let cookie = request.ownCookies[admissionCookie(for: request).name]
        else { return nil }
        let isIn = admissions.accepts(
            cookie: cookie, from: access.address(of: request), browser: request.headers.value(.userAgent))
        if isIn { request.admission = cookie }
        return isIn ? .right : .wrong
    }

    /// A program on another machine that may use the tester's API sends the tester's token instead of an admission.
    private func judgeProgram(_ request: Request) -> Verdict? {
        guard access.apiIsForOthers, OwnPath(of: request)?.isForTesters == true else { return nil }
        return testerToken.judge(request, from: access.address(of: request))
    }

    private func closed(_ status: HTTPResponse.Status, _ request: Request, _ reason: String) -> Response {
        request.logger.warning(
            "\(request.method) from \(access.address(of: request) ?? "nowhere") refused: \(reason)")
        return ClosedPage.response(status)
    }
}
