extension Request {
    /// The gateway, with what pages need of it; nil for a request that no gateway has seen.
    var host: (any PageHost)? { answerer as? any PageHost }

    /// The page that sent this; nil if it was not sent by a page of the gateway, or by one without the page runtime.
    ///
    /// The page runtime adds the page's id and token to requests for native. A handler can call the page back:
    ///
    /// ```swift
    /// let choice = try await request.page?.call("choose", ["tea", "coffee"])
    /// ```
    public var page: Page? {
        if let callingPage { return callingPage.page }
        guard let id = headers.value(.pageID), let token = headers.value(.pageToken), let host,
            host.isPageToken(token)
        else { return nil }
        return host.pages[id]
    }

    /// The `--bridge` script that has sent it; nil for all other requests.
    var claimingBridge: Page.Bridge? {
        guard !isAnonymous, channelCall == nil, let name = headers.value(.pageBridge),
            case let bridge? = Page.Bridge(rawValue: name), host?.hasBridge(bridge) == true
        else { return nil }
        return bridge
    }

    /// Counts the open requests of pages; nil for a request that no page has sent by HTTP.
    var pageRequests: PageRequests? { isAnonymous || channelCall != nil ? nil : host?.pages.requests }

    /// The path of the address of the page that sent this; nil for one that comes from no page of the gateway's.
    ///
    /// The path in the request's header wins over the last known path of the page: the message about a new address may
    /// still be on its way, and a page that uses only HTTP sends no such messages.
    var pagePath: String? { saidPath ?? page?.path }

    /// The path of that address with the id in it, for sets of handlers.
    ///
    /// A request that says the path has the id in its `Referer`, unless the page's policy leaves that out.
    var pagePlace: (path: String, id: String?)? {
        guard let path = saidPath else { return (page?.address).map { ($0.path, $0.id) } }
        return (path, [referrer, page?.address].compactMap(\.self).first { $0.path == path }?.id)
    }

    /// The address in its `Referer`, which forms and links have alone, and which proves nothing; nil for another host's.
    var referrer: Page.Address? {
        guard !isAnonymous, channelCall == nil, let url = headers.value(.referer), let authority,
            url.utf8.drop(while: { $0 != UInt8(ascii: "/") }).starts(with: "//\(authority)/".utf8)
        else { return nil }
        return Page.Address(url, item: host?.pageIDItem ?? "")
    }

    var saidPath: String? {
        guard callingPage == nil, let path = headers.value(.pagePath),
            let token = headers.value(.pageToken), host?.isPageToken(token) == true
        else { return nil }
        return path
    }

    /// Reports progress before the answer, if the bridge allows it: the page's callback is called with each value, and
    /// with the result when the handler returns.
    ///
    /// - Returns: false if the page gave no callback, or the bridge takes no progress. The runtime's
    ///   WebViewJavascriptBridge and shortcuts take it, and so do bridges of `PageRuntime(bridges:)` that declare it.
    /// - Throws: an encoding error of the value; a ``PageError`` if the page is gone.
    @discardableResult
    public func progress(_ value: some Encodable & Sendable) throws -> Bool {
        guard let caller = callingPage, let id = caller.call.id, caller.call.hearsProgress
        else { return false }
        try caller.page.post(
            PageAnswer.message(id, PageAnswer(value: try JSON.encode(value)), isLast: false),
            upTo: Outbox.limitOfAnswers)
        return true
    }

    /// Asks the person at the app, and waits for the answer.
    ///
    /// ```swift
    /// let question = Question("delete", message: "Delete all?", choices: ["ok", "cancel"])
    /// guard try await request.present(question) == "ok" else { return Nothing() }
    /// ```
    ///
    /// - Returns: the choice as a string, or the fields as an object; nil when the person cancelled, when nobody can
    ///   be asked, and for a notice, which is only shown.
    /// - Throws: a `CancellationError` when the caller has gone.
    public func present(_ question: Question) async throws -> JSON? {
        try await host?.present(question, for: self)
    }
}

package final class CallingPage: ChannelCall {
    let page: Page
    let call: PageCall

    /// The id of the page that is blocked by a synchronous request until this task answers, and the handler's path.
    @TaskLocal package static var waiting: (page: String, handler: String)?

    /// The id of the page that this synchronous request blocks, and the request's path; nil for other requests.
    static func waiting(for request: Request) -> (page: String, handler: String)? {
        guard !request.isAnonymous, request.headers.contains(.pageWaits), let page = request.page else {
            return nil
        }
        return (page.id, request.path)
    }

    package var isForScript: Bool { call.bridge?.hasEnvelope != true }
    package var session: Session? { page.session }

    init(page: Page, call: PageCall) {
        self.page = page
        self.call = call
    }
}

extension Request {
    /// The call by a page's channel for which this request was made; nil for an HTTP request.
    var callingPage: CallingPage? { channelCall as? CallingPage }
}
