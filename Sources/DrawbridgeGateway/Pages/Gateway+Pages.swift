import Synchronization

// What pages need of the gateway.
extension Gateway: PageHost {
    @usableFromInline package func refusesSocket(of request: Request) -> HTTPError? {
        access.refusesOtherPage(of: request, doing: "open a WebSocket here")
    }

    @usableFromInline package func isFromThisMachine(_ request: Request) -> Bool {
        access.isFromThisMachine(request)
    }

    package var pageIDItem: String { (pageRuntime ?? PageRuntime.usual).pageIDItem }

    package func isPageToken(_ text: String) -> Bool { access.token.matches(text) }

    /// Whether the page gets the outcome of its call: not if the call came by a channel without a callback, nor if the
    /// handler is missing and the bridge, like an app, does not call back then.
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

    /// Delays a page's request until the handling of the messages that the page sent before it has begun.
    func awaitTurn(of request: Request) async {
        guard !request.isAnonymous, let id = request.claimedPage,
            let place = request.headers.value(.pageAfter).flatMap(PageTurns.Place.init),
            let token = request.headers.value(.pageToken), access.token.matches(token)
        else { return }
        let hasCome = await pages.turns.wait(for: place, of: id) { pages.hasBegun(place, of: id) }
        guard !hasCome else { return }
        request.logger.warning(
            """
            \(request.path) waited \(pages.turns.patience.withLock { $0 }) for earlier messages of page \
            \(id.prefix(8)), which have not come; it goes ahead, so the order may differ from the page's
            """)
    }
}

extension Gateway {
    /// Chooses the page of a session to call if none is named and none has called.
    ///
    /// Preferred, in this order, is a page that is connected, has the handler, is visible, is not in a frame, was not
    /// opened by another page, and is the newest. Without a name, the handler does not matter.
    package func meant(_ name: String?, by bridge: String?, in session: Session) async -> Page? {
        let all = ranked(in: session)
        let asked = all.prefix(100).filter { $0.presence == .here }
        guard let name, asked.count > 1 else { return all.first }
        // All are asked at once; the answers are awaited in this order, up to the first page that has the name.
        let answers = asked.map { page in Task { await page.has(name, by: bridge) } }
        defer { for answer in answers { answer.cancel() } }
        return await withTaskCancellationHandler {
            for (page, answer) in zip(asked, answers) { if await answer.value { return page } }
            return all.first
        } onCancel: {
            for answer in answers { answer.cancel() }
        }
    }

    /// The pages of a session, in the order of preference of ``meant(_:by:in:)`` without regard to handlers.
    package func ranked(in session: Session) -> [Page] {
        pages.all.filter { $0.session == session }.map { (rank: $0.rank, page: $0) }
            .sorted { ($0.rank, $0.page.came, $0.page.id) > ($1.rank, $1.page.came, $1.page.id) }.map(\.page)
    }
}
