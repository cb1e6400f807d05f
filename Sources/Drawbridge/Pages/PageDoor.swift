/// What a handler is for, where a page called it by a door with a callback.
final class PageDoor: Sendable {
    let page: Page
    let call: PageCall

    /// The id of the page that waits for this task in a synchronous request, and can do nothing meanwhile.
    @TaskLocal static var waiting: String?

    /// The id of the page that waits for the answer to a request, and can do nothing meanwhile; nil for most requests.
    static func waiting(for request: Request) -> String? {
        guard !request.isAnonymous, request.headers.contains(.pageWaits) else { return nil }
        return request.page?.id
    }

    init(page: Page, call: PageCall) {
        self.page = page
        self.call = call
    }
}
