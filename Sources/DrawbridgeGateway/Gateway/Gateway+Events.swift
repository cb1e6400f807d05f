// Events: steps that native runs without a call from a page.
extension Gateway {
    /// Records that a page has arrived, and plays the arrival event, once for each document.
    package func greet(_ page: Page) {
        page.note(.page, "came")
        tell(needing: nil, to: page)
        tellOfSpokenBridges(page)
        questions.show(over: page.id) { page.show($0.question, $0.number) }
        // A document whose connection state was lost begins another life; it had its arrival event in the first. In the
        // app itself the app plays its own.
        guard page.life == 1, !page.hasApp, replyBook.hasEventAtArrival else { return }
        let name = ReplyFile.atArrival
        let input = ReplyInput(nil, userAgent: page.userAgent ?? "")
        replySteps.begin(
            replyBook.events[name] ?? [], input, scene(of: "event \(name)", page.session, page: page.id))
    }

    /// Plays an event, and waits until all of its steps are done and pages have confirmed them.
    ///
    /// - Parameters:
    ///   - page: receives it; nil to choose a page for each step (``meant(_:by:in:)``).
    /// - Throws: if there is no such event, if no page can receive it, or if a page does not confirm it.
    package func play(event name: String, on page: Page?, in session: Session) async throws {
        let events = replyBook.events
        guard let steps = events[name] else {
            let otherwise = events.isEmpty ? "write it below \"events\"" : nil
            let hint = Nearest.hint(for: name, among: events.keys.sorted(), otherwise: otherwise)
            throw HTTPError(.notFound, "there is no event \(name.cut(to: 40)); \(hint)")
        }
        let all = page.map { [$0] } ?? ranked(in: session)
        if steps.contains(where: { $0.data != nil }), all.first?.mayHear != true {
            let there = all.prefix(5).map { "\($0.id.prefix(8)) at \($0.path) is \($0.presence)" }
            let error = HTTPError(
                .conflict,
                """
                no running page in session \((page?.session ?? session).name) can receive \(name)\
                \(there.isEmpty ? "" : ": page \(there.joined(separator: ", "))"); GET \(OwnPath.pages.path) lists all pages
                """, data: .array(all.map(\.described)))
            logger.warning("event \(name): \(error.message)")
            throw error
        }
        let input = ReplyInput(nil, userAgent: all.first?.userAgent ?? "")
        do {
            try await replySteps.play(
                steps, input, scene(of: "event \(name)", page?.session ?? session, page: page?.id))
        } catch let error as ReplySteps.Unheard {
            logger.warning("event \(name): \(error)")
            throw error
        }
    }

    /// Where the steps of a reply or an event run: in this session, and in the page with this id, or without an id in a
    /// page that is chosen for each step.
    func scene(of title: String, _ session: Session, page id: String?) -> ReplySteps.Scene {
        ReplySteps.Scene(title: title, session: session, logger: logger) { name, by in
            let page = if let id { self.pages[id] } else { await self.meant(name, by: by, in: session) }
            // If the session was reset while pages were asked, the step must not run.
            try Task.checkCancellation()
            if let page, id != nil || page.mayHear { return page }
            throw ReplySteps.Fault(nobodyHears: name)
        } turn: {
            try self.turn($0, on: $1, in: session)
        }
    }
}
