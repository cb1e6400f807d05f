package import DrawbridgeMessages
import HTTPTypes
import Logging

// Decides who may come in at all. This is checked for every request, before all else.
extension Gateway {
    /// Refuses a request that names a foreign host, and one from elsewhere without an admission; nil lets it in.
    ///
    /// A request that an admission lets in is marked with it, for ``hold(_:_:)``.
    ///
    /// Each connection is judged by itself: callers on other machines get no rights of this machine, though the gateway
    /// listens on an address that they reach. They are told nothing: no name, no version, no handler, no way in.
    package func refusesEntry(of request: inout Request) -> Response? {
        // What a page calls by its channel was let in with the channel, which is closed when the admission ends.
        if request.channelCall != nil || request.isFromApp { return nil }
        if access.isFromThisMachine(request) {
            return access.refusesHost(of: request).map { refusal($0, of: request) }
        }
        if let error = access.refusesHost(of: request) { return closed(.forbidden, request, error.message) }
        if OwnPath(of: request)?.isForEverybody == true { return nil }
        switch judgeAdmission(of: &request) ?? judgeProgram(request) {
        case .right: return nil
        case .throttled: return closed(.tooManyRequests, request, "it has sent too many wrong secrets")
        case .wrong: return closed(.forbidden, request, "its admission has ended; open a new link there")
        case nil
        where access.isForwarded(request)
            && request.remoteAddress.map(Authority.isLoopback(address:)) != false:
            return closed(
                .forbidden, request,
                """
                it came through a proxy, and was not let in; open the printed link there, or list a proxy that itself \
                decides who may come, and says for whom it asks: --trusted-proxy \(request.remoteAddress ?? "ADDRESS")
                """)
        case nil: return closed(.forbidden, request, "it was not let in; open the printed link there")
        }
    }

    /// The cookie by which a browser shows its admission: named by the port that it asks, since cookies do not tell
    /// ports apart.
    package func admissionCookie(for request: Request) -> (name: String, isSecure: Bool) {
        let isSecure = request.scheme == "https"
        let port = request.site?.port ?? (isSecure ? 443 : 80)
        return ("\(isSecure ? "__Host-" : "")drawbridge-\(port)", isSecure)
    }

    /// The secret of an admission that a request shows; nil where it has none.
    package func admissionSecret(of request: Request) -> String? {
        request.ownCookies.isEmpty ? nil : request.ownCookies[admissionCookie(for: request).name]
    }

    /// Notes what a request holds open, to be closed when the admission that let it in ends.
    ///
    /// - Parameter close: called when the admission ends, from any thread; at once where it has ended already.
    /// - Returns: what to call when it is closed otherwise; nil without an admission, or where that has ended.
    package func hold(
        _ request: Request, _ close: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        guard let admission = request.admission else { return nil }
        let release = admissions.hold(admission, close)
        if release == nil { close() }
        return release
    }

    private func judgeAdmission(of request: inout Request) -> Verdict? {
        guard let secret = admissionSecret(of: request) else { return nil }
        let verdict = admissions.judge(secret: secret, from: access.address(of: request))
        if verdict == .right { request.admission = secret }
        return verdict
    }

    /// A program elsewhere that may use the tester's API shows the tester's token instead of an admission.
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
