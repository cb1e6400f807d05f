import Logging

// What native does by itself: steps of events.
extension Gateway {
    /// Does what is to be done when a page arrives, once for its document.
    func greet(_ page: Page) {
        page.note(.page, "came")
        tellOfSpokenBridges(page)
        // A page that begins its second life here has been greeted in its first.
        guard page.life == 1, replyBook.hasEventAtArrival else { return }
        let name = ReplyFile.atArrival
        let input = ReplyInput(nil, userAgent: page.userAgent ?? "")
        let (pages, id) = (pages, page.id)
        replySteps.begin(
            replyBook.events[name] ?? [], input, scene(of: "event \(name)", page.session) { pages.page(id) })
    }

    /// Plays an event, and waits until all of its steps are done.
    ///
    /// - Parameters:
    ///   - page: who hears it; nil for the newest page of the session.
    /// - Throws: where there is no such event, or no page, or a page did not answer.
    package func play(event name: String, on page: Page?, in session: Session) async throws {
        let events = replyBook.events
        guard let steps = events[name] else {
            let near = Nearest.of(name, among: events.keys.sorted()).map { "did you mean \($0)?" }
            let all =
                events.isEmpty
                ? "write it below \"events\"" : "there are \(events.keys.sorted().joined(separator: ", "))"
            throw HTTPError(.notFound, "there is no event \(name.cut(to: 40)); \(near ?? all)")
        }
        let pages = pages
        let hearing = { @Sendable in page ?? pages.open.first { $0.session == session && $0.isOpen } }
        if steps.contains(where: \.needsPage), hearing() == nil {
            throw HTTPError(
                .conflict,
                "no open page in session \(session.name) to send \(name) to; GET \(OwnPath.pages.path) lists all pages"
            )
        }
        let input = ReplyInput(nil, userAgent: hearing()?.userAgent ?? "")
        try await replySteps.play(
            steps, input, scene(of: "event \(name)", page?.session ?? session, page: hearing))
    }

    /// For whom the steps of a reply or of an event are done.
    func scene(
        of title: String, _ session: Session, page: @escaping @Sendable () -> Page?
    ) -> ReplySteps.Scene {
        ReplySteps.Scene(title: title, session: session, logger: logger, page: page) {
            try self.turn($0, on: $1, in: session)
        }
    }
}
