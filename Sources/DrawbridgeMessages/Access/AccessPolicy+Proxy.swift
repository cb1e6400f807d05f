// A gateway that is a browser's proxy too: who may ask what by way of it.
extension AccessPolicy {
    /// True for a request through the browser's proxy to another host, which decides itself who may call it.
    package func isForOthers(_ request: Request) -> Bool { isForProxy && request.isAbsoluteForm }

    /// Whether the site of a request for others may call native, and so gets what pages need for that.
    ///
    /// It has to be listed, and the caller to be on this machine: those elsewhere cannot show an admission for another
    /// host.
    package func isListedSite(of request: Request) -> Bool {
        guard let site = request.site, isListed(WebOrigin.of(scheme: request.scheme, site)) else {
            return false
        }
        return isFromThisMachine(request)
    }

    /// Refuses to ask another host where the gateway is no proxy; nil when it may be asked, or is the gateway itself.
    package func refusesOtherHost(of request: Request) -> HTTPError? {
        guard request.isAbsoluteForm, !isForProxy, request.site.map({ isOwn($0, request) }) != true else {
            return nil
        }
        return HTTPError(
            .forbidden,
            """
            this gateway is no proxy, and does not ask \(request.authority ?? ""); start it with --proxy, in code \
            Gateway(passThrough: [.proxy()])
            """)
    }

    /// Refuses native to callers on other machines: their browser does not send our cookie with a request for another
    /// host, so nothing would show that they were let in, or that their admission has ended.
    package func refusesDevice(byProxy request: Request) -> HTTPError? {
        guard isForOthers(request), !isFromThisMachine(request) else { return nil }
        return HTTPError(
            .forbidden,
            """
            native is not called through the proxy from elsewhere; open the gateway's own page by the link that it prints
            """)
    }

    /// Whether a call with a whole URL as its target is from a page of ours, or from a program.
    ///
    /// By the proxy it names the host of its page's own site, whichever that is: neither that nor "same-origin" shows
    /// that the page is ours. The host `__jsbridge__` has no pages.
    ///
    /// - Parameter isOfBrowser: whether a field says from which page it is, which is no foreign one.
    func isOurs(byProxy request: Request, isOfBrowser: Bool) -> Bool {
        guard let site = request.site, !isForOthers(request) || site.host == JSBridgeRule.name else {
            return false
        }
        return isOfBrowser
            ? site.isLocal || allowedHosts.contains(site.host) : site.isLocal && Self.isProgram(request)
    }

    /// True where a request through the proxy has nothing that browsers send, as with `curl -x`.
    ///
    /// By plain http to another host a browser sends no `Sec-Fetch-Site`, and a page can empty `Accept-Language`
    /// (Fetch, "CORS-safelisted request-header") and change `User-Agent`. But it can leave out neither
    /// `Accept-Language` nor `Accept-Encoding` (Fetch, "forbidden request-header"). So whoever sends either of the two,
    /// with any value, counts as a browser here.
    private static func isProgram(_ request: Request) -> Bool {
        !request.hasBrowserMark && !request.headers.contains(.acceptLanguage)
            && !request.headers.contains(.acceptEncoding)
    }
}
