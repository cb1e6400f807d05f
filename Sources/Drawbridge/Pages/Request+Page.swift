extension Request {
    /// The page that sent this; nil for one that comes from no page of the gateway's, or from one that says nothing of
    /// itself.
    ///
    /// The page runtime adds the page's id and token to requests for native. A handler can call the page back:
    ///
    /// ```swift
    /// let choice = try await request.page?.call("choose", ["tea", "coffee"])
    /// ```
    public var page: Page? {
        if let callingPage { return callingPage.page }
        guard let gateway, let id = headers.value(.pageID), let token = headers.value(.pageToken),
            gateway.access.token.matches(token)
        else { return nil }
        return gateway.pages.page(id)
    }

    /// The bridge from outside that has claimed it, one of those which pages have; nil for all other requests.
    var claimingBridge: Page.Bridge? {
        guard !isAnonymous, channelCall == nil, let name = headers.value(.pageBridge),
            gateway?.pageRuntime?.bridges.contains(where: { $0.name == name }) == true
        else { return nil }
        return Page.Bridge(rawValue: name)
    }

    /// Those of the requests of pages among which it counts; nil for all that no page has sent by HTTP.
    var pageRequests: PageRequests? { isAnonymous || channelCall != nil ? nil : gateway?.pages.requests }

    /// The path of the address of the page that sent this; nil for one that comes from no page of the gateway's.
    ///
    /// A request says where its page was then. That goes before what is known of the page, whose word of another
    /// address may still be on its way by the channel; and a page that uses HTTP alone has none.
    var pagePath: String? {
        if channelCall == nil, let gateway, let path = headers.value(.pagePath),
            let token = headers.value(.pageToken), gateway.access.token.matches(token)
        {
            return path
        }
        return page?.path
    }

    /// Answers before the answer, where the bridge allows it: the callback of a page is called with each value, and
    /// with the last one when the handler returns.
    ///
    /// - Returns: false where nobody hears it: where the page gave no callback, and at all bridges but the library of
    ///   WebViewJavascriptBridge that the page was given, shortcuts, and those of ``PageRuntime/bridges`` that say so.
    /// - Throws: what the value's own encoding throws.
    @discardableResult
    public func progress(_ value: some Encodable) throws -> Bool {
        guard let caller = callingPage, let id = caller.call.id, caller.call.hearsProgress
        else {
            return false
        }
        try caller.page.post(
            PageAnswer.message(id, PageAnswer(value: try JSON.encode(value)), isLast: false),
            upTo: Outbox.limitOfAnswers)
        return true
    }
}
