/// What a handler is for, where a page called it by a door with a callback.
final class PageDoor: Sendable {
    let page: Page
    let call: PageCall

    /// The id of the page that waits for this task in a synchronous request, and can do nothing meanwhile.
    @TaskLocal static var waiting: String?

    init(page: Page, call: PageCall) {
        self.page = page
        self.call = call
    }
}
