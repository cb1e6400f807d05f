package import DrawbridgeJSON
package import DrawbridgeJournal
public import DrawbridgeMessages
package import DrawbridgePageRuntime
import Logging
import Synchronization

// What a gateway does for pages.
extension Gateway: PageHost {
    package func present(_ question: Question, for request: Request) async throws -> JSON? {
        try await questions.present(
            question, for: request, of: (request.page?.id, request.pagePath), by: presenter)
    }

    @usableFromInline package func refusesSocket(of request: Request) -> HTTPError? {
        access.refusesSocket(of: request)
    }

    @usableFromInline package func isFromThisMachine(_ request: Request) -> Bool {
        access.isFromThisMachine(request)
    }

    package func isPageToken(_ text: String) -> Bool { access.token.matches(text) }

    /// Whether the page gets the outcome of its call: not of a channel call without a callback, and not of a missing
    /// handler at the bridges with a callback, where pages of an app expect silence.
    package func isHeard(_ answer: PageAnswer, _ call: PageCall) -> Bool {
        guard call.isByChannel else { return true }
        return call.id != nil && !answer.isSilent
            && (!answer.isMissing || pageRuntime?.missing == .answer || call.needsAnswer)
    }

    package func request(_ call: PageCall, of page: Page) -> Request {
        Request(
            CallingPage(page: page, call: call), of: call.name, with: call.data ?? .null, page.head,
            remoteAddress: page.remoteAddress, answerer: self)
    }

    package func respond(to call: PageCall, of page: Page, by tasks: HandlerTasks?) async -> PageAnswer {
        let began = ContinuousClock.now
        let request = request(call, of: page)
        let response = await respond(to: request, by: tasks)
        let answer = await PageAnswer(response, asText: call.bridge?.hasEnvelope == true)
        page.connection?.answered(
            request, response, bytes: isHeard(answer, call) ? answer.member.count : nil,
            took: began.duration(to: .now))
        return answer
    }

    /// Waits until the messages that a page sent before its request have begun.
    func awaitTurn(of request: Request) async {
        guard !request.isAnonymous, let id = request.claimedPage,
            let place = request.headers.value(.pageAfter).flatMap(PageTurns.Place.init),
            let token = request.headers.value(.pageToken), access.token.matches(token)
        else { return }
        let hasCome = await pages.turns.wait(for: place, of: id) { pages.hasBegun(place, of: id) }
        guard !hasCome else { return }
        request.logger.warning(
            """
            \(request.path) waited \(pages.turns.patience) for what page \(id.prefix(8)) said before it, and no longer: that \
            has not come, so their order may be another than the page's
            """)
    }
}

extension Gateway {
    /// The page of a session that is meant where none is named, and none has called.
    ///
    /// Each of these narrows what the one before left, where it leaves any: it has its channel, has what is looked for,
    /// is seen, is in no frame, was not opened by another page, is the newest. Without a name any page will do.
    package func meant(_ name: String?, by bridge: String?, in session: Session) async -> Page? {
        let all = ranked(in: session)
        let asked = all.prefix(100).filter { $0.presence == .here }
        guard let name, asked.count > 1 else { return all.first }
        // In their order: nobody waits for one behind the first that has it.
        let answers = asked.map { page in Task { await page.has(name, by: bridge) } }
        defer { for answer in answers { answer.cancel() } }
        return await withTaskCancellationHandler {
            for (page, answer) in zip(asked, answers) { if await answer.value { return page } }
            return all.first
        } onCancel: {
            for answer in answers { answer.cancel() }
        }
    }

    /// The pages of a session, the one first that is meant where all have what is looked for.
    package func ranked(in session: Session) -> [Page] {
        pages.open.filter { $0.session == session }.map { (rank: $0.rank, page: $0) }
            .sorted { ($0.rank, $0.page.came, $0.page.id) > ($1.rank, $1.page.came, $1.page.id) }.map(\.page)
    }
}
