import DrawbridgeJSON
import DrawbridgeJournal
package import DrawbridgeMessages
import DrawbridgeMocks
import HTTPTypes
import Logging

// What native does by itself: steps of events.
extension Gateway {
    /// Notes that a page has arrived, and plays the event for that, once for its document.
    package func greet(_ page: Page) {
        page.note(.page, "came")
        tellOfSpokenBridges(page)
        // A page that begins its second life here has been greeted in its first.
        guard page.life == 1, replyBook.hasEventAtArrival else { return }
        let name = ReplyFile.atArrival
        let input = ReplyInput(nil, userAgent: page.userAgent ?? "")
        replySteps.begin(
            replyBook.events[name] ?? [], input, scene(of: "event \(name)", page.session, page: page.id))
    }

    /// Plays an event, and waits until all of its steps are done and heard.
    ///
    /// - Parameters:
    ///   - page: receives it; nil for the page that is meant by each of the steps.
    /// - Throws: where there is no such event, or no page that runs, or a page that has not heard all of it.
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

    /// The session and the page for which the steps of a reply or of an event are run: the page with this id, which was
    /// named or has called, else the one that is meant by each step.
    func scene(of title: String, _ session: Session, page id: String?) -> ReplySteps.Scene {
        ReplySteps.Scene(title: title, session: session, logger: logger) { name, by in
            let page = if let id { self.pages.page(id) } else { await self.meant(name, by: by, in: session) }
            // The session may have been reset while pages were asked.
            try Task.checkCancellation()
            if let page, id != nil || page.mayHear { return page }
            throw ReplySteps.Fault(nobodyHears: name)
        } turn: {
            try self.turn($0, on: $1, in: session)
        }
    }
}
