/// What a handler is for, where a page called it by a door with a callback.
final class PageDoor: Sendable {
    let page: Page
    let call: PageCall

    /// The id of the page that waits for this task in a synchronous request, and can do nothing meanwhile.
    @TaskLocal static var waiting: String?

    /// Runs what is done for a request, so that it knows whether its page stands still.
    static func during<Value>(_ request: Request, _ work: () -> Value) -> Value {
        guard !request.isAnonymous, request.headers.contains(.pageWaits), let page = request.page else {
            return work()
        }
        return $waiting.withValue(page.id, operation: work)
    }

    init(page: Page, call: PageCall) {
        self.page = page
        self.call = call
    }
}
