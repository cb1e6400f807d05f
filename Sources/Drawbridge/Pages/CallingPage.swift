/// What a handler is for, where a page called it by a bridge with a callback.
final class CallingPage: ChannelCall {
    let page: Page
    let call: PageCall

    /// The id of the page that waits for this task in a synchronous request, and can do nothing meanwhile; and the path
    /// of the handler.
    @TaskLocal static var waiting: (page: String, handler: String)?

    /// The same for a request; nil for most.
    static func waiting(for request: Request) -> (page: String, handler: String)? {
        guard !request.isAnonymous, request.headers.contains(.pageWaits), let page = request.page else {
            return nil
        }
        return (page.id, request.path)
    }

    var isForScript: Bool { call.bridge?.hasEnvelope != true }
    var session: Session? { page.session }

    init(page: Page, call: PageCall) {
        self.page = page
        self.call = call
    }
}

extension Request {
    /// The page's call that this is; nil for one that came by HTTP.
    var callingPage: CallingPage? { channelCall as? CallingPage }
}
