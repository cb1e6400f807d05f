/// A page's call of a handler, by a bridge with a callback.
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
