public import DrawbridgeJSON
public import DrawbridgeJournal
public import DrawbridgeMessages
import DrawbridgePageRuntime
import HTTPTypes

extension Request {
    /// The gateway, as pages need it; nil for a request that no gateway has seen.
    private var host: (any PageHost)? { answerer as? any PageHost }

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
        guard let id = headers.value(.pageID), let token = headers.value(.pageToken), let host,
            host.isPageToken(token)
        else { return nil }
        return host.pages.page(id)
    }

    /// The bridge of `--bridge` that has claimed it; nil for all other requests.
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
    /// A request says where its page was then. That goes before what is known of the page, whose message of a new
    /// address may still be on its way by the channel; and a page that uses HTTP alone has no channel.
    var pagePath: String? {
        if channelCall == nil, let path = headers.value(.pagePath),
            let token = headers.value(.pageToken), host?.isPageToken(token) == true
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

    /// The id of the page that waits for this task in a synchronous request, and can do nothing meanwhile; and the path
    /// of the handler.
    @TaskLocal package static var waiting: (page: String, handler: String)?

    /// The page that waits in this synchronous request, and its path; nil for most requests.
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
    /// The page's channel call that it stands for; nil for an HTTP request.
    var callingPage: CallingPage? { channelCall as? CallingPage }
}
