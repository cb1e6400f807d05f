import Synchronization

// Replies: mocked answers, which are sent instead of those of handlers.
extension Gateway {
    /// Mocks native calls: from now on, these replies answer instead of handlers.
    ///
    /// ```swift
    /// try gateway.mock(["getUser": ["nick": "Ann"], "sync": ["$error": ["code": 1001]]])
    /// ```
    ///
    /// Each call replaces the replies of the one before; `mock()` removes them. Replies of the command's flags and
    /// files take precedence. For what a reply may be, see <doc:MockingNativeCalls>.
    ///
    /// - Parameter mocks: objects with a reply for each name, as `replies` of a file has them; earlier objects take
    ///   precedence. To mock by text: `mock(JSON(parsing: bytes))`.
    /// - Throws: an error that says what is wrong, and in which reply; the replies stay as they were.
    public func mock(_ mocks: JSON...) throws {
        let layers = try mocks.enumerated().map { place, mocks in
            do throws(ReplyFault) {
                var names = try ReplyNames(LocatedJSON(parsing: mocks.bytes))
                names.source = "mock \(place)"
                return names
            } catch {
                throw error.unplaced
            }
        }
        changingNames { replyBook.set(inCode: layers) }
    }

    /// Replaces all replies of flags and files in one step.
    ///
    /// Open pages are told the names of new replies, and those that are gone.
    package func reply(by layers: ReplyLayers) {
        let given = pageRuntime?.bridges.map(\.name) ?? []
        for name in layers.bridgesOfPages where !given.contains(name) {
            let near = Nearest.of(name, among: given).map { "is it \($0)?" } ?? "give it by --bridge \(name)"
            logger.warning("a file of mocks gives pages the bridge \(name), which is not loaded; \(near)")
        }
        changingNames { replyBook.set(layers) }
    }

    /// Switches a scenario on or off, and sends open pages their new lists of names.
    package func turn(
        _ scenario: String, on isOn: Bool, in session: Session = .usual, isByTest: Bool = false
    ) throws(NoScenario) {
        try changingNames(in: session) { () throws(NoScenario) in
            try replyBook.turn(scenario, on: isOn, in: session, isByTest: isByTest)
        }
        let place = session == .usual ? "" : " in session \(session.name)"
        logger.notice("scenario \(scenario) is \(isOn ? "on" : "off")\(place)")
    }

    /// Sets a reply for one session, where it takes precedence over all others; nil removes it.
    package func set(_ reply: LocatedJSON?, for name: String, in session: Session) throws(ReplyFault) {
        let doubts = try changingNames(in: session) { () throws(ReplyFault) in
            try replyBook.set(reply, for: name, in: session)
        }
        for doubt in doubts {
            logger.warning("session \(session.name), \(name): \(doubt.message)")
        }
    }

    /// Drops the replies and scenarios that a session has set, and cancels its steps and questions.
    package func reset(_ session: Session) {
        replySteps.cancel(in: session)
        questions.reset(session)
        forget(session)
        changingNames(in: session) { replyBook.reset(session) }
    }

    /// Takes over what a store has kept of a session, or forgets it if that is nothing.
    package func take(_ kept: [UInt8], for session: Session) {
        for fault in changingNames(in: session, { replyBook.take(kept, for: session) }) {
            logger.warning("session \(session.name), as the shared store has it: \(fault.message)")
        }
    }

    /// Makes a change, and sends open pages their new lists of names; one change at a time, so that pages get the lists
    /// in order.
    ///
    /// - Parameter session: the session whose pages may be concerned; nil for all sessions.
    private func changingNames<Result, Failure: Error>(
        in session: Session? = nil, _ change: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try naming.withLock { _ throws(Failure) in
            let concerned = pages.all.filter { session == nil || $0.session == session }
            let old = views(of: concerned)
            let result = try change()
            journal.touch(.replies, .scenarios, .sessions)
            let new = views(of: concerned)
            // Many pages have the same lists of names: each pair of lists is compared, and its message made, only once.
            var messages: [[Int]: [UInt8]?] = [:]
            for (place, page) in concerned.enumerated() {
                let (before, now) = (old.view[place], new.view[place])
                let message =
                    messages[[before, now]]
                    ?? (old.names[before] == new.names[now] ? nil : JSON.object(new.names[now].members).bytes)
                messages[[before, now]] = .some(message)
                // A page that is gone needs no message.
                if let message { _ = try? page.post(message) }
            }
            return result
        }
    }

    /// The different lists of names that pages are shown, and for each page the index of its list.
    private func views(of pages: [Page]) -> (names: [PageNames], view: [Int]) {
        var places: [PageView: Int] = [:]
        var names: [PageNames] = []
        let view = pages.map { page in
            let address = page.address
            let (path, id) = (address.path, address.id)
            let view = PageView(
                session: page.session, sets: handlerSets(ofPageAt: path, id: id).map(ObjectIdentifier.init),
                replies: replyBook.parts(ofPageAt: path))
            if let place = places[view] { return place }
            places[view] = names.count
            names.append(shownNames(toPageAt: path, id: id, in: page.session))
            return names.count - 1
        }
        return (names, view)
    }

    /// What decides which names a page is shown: its session, its sets of handlers, and its entries of `pages`.
    private struct PageView: Hashable {
        let session: Session
        let sets: [ObjectIdentifier]
        let replies: [Int]
    }

    /// The replies for a request; none for HEAD and OPTIONS, as handlers do not take those by default either.
    func replies(to plain: Request) -> ReplyLookup {
        plain.method == .head || plain.method == .options
            ? ReplyLookup([], in: .usual) : replies(for: plain)
    }

    func replies(for plain: Request) -> ReplyLookup {
        guard replyBook.isUsed else { return ReplyLookup([], in: .usual) }
        return replyBook.lookup(plain.path, in: plain.session, ofPageAt: plain.pagePath)
    }

    /// The answer of the first of these replies that fits; nil if none does, so that handlers are asked.
    ///
    /// - Parameter plain: has its body collected afterwards, if a reply has read that.
    func replied(
        _ plain: inout Request, by replies: ReplyLookup, original: Request
    ) async -> Response? {
        guard !replies.isEmpty else { return nil }
        do {
            return try await replied(to: &plain, original: original, replies)
        } catch {
            return failure(known(error, in: plain.name, plain), to: plain)
        }
    }

    /// Throws a 405 for HEAD and OPTIONS where only replies have the name.
    func checkMethodForReplies(_ plain: Request) throws(HTTPError) {
        guard plain.method == .head || plain.method == .options, unhandled != .passThrough,
            replies(for: plain).mayAnswer
        else { return }
        throw HTTPError(
            .methodNotAllowed, "\(plain.name) is a mock, and mocks do not answer \(plain.method)",
            headers: [.allow: Route.usualMethods.joined(separator: ", ")])
    }

    private func replied(
        to plain: inout Request, original: Request, _ lookup: ReplyLookup
    ) async throws -> Response? {
        var input = try await replyInput(of: &plain, isLookedAt: lookup.lookAtInput)
        sends(plain)
        if input.value?.isWritten == true, replyBook.isNews("input", in: plain.name) {
            plain.logger.notice(
                "\(plain.name) received JSON as a string; $when and {{input.…}} read the JSON in it; {\"$text\": …} answers with such a string"
            )
        }
        // If the request is passed through instead, it has the body that was read here.
        var original = original
        original.body = plain.body
        var (lookup, asked) = (lookup, Set<String>())
        while let found = await next(in: &lookup, input) {
            if case .ask(let ask) = found.reply.outcome {
                guard asked.insert(found.title).inserted else { continue }
                let choice = try await choice(by: ask, of: found, input, for: plain)
                lookup.goOn(with: choice, of: found)
                // A held call that a person lets go on gets what was set or saved while it waited.
                if choice.reply.isPass, found.source == "session \(plain.session.name)" {
                    let why = lookup.why + ["\(found.title): \(choice.name)"]
                    lookup = self.replies(for: plain)
                    lookup.why = why
                    input = try await replyInput(of: &plain, isLookedAt: lookup.lookAtInput)
                    original.body = plain.body
                }
                continue
            }
            if !lookup.why.isEmpty {
                if let number = plain.record { journal.note(of: number) { $0.why += lookup.why } }
                plain.logger.debug("reply \(found.title), after \(lookup.why.joined(separator: "; "))")
            }
            return try await answer(to: plain, original: original, by: found, input)
        }
        let passed = lookup.why.filter { !$0.hasSuffix(": $pass") }
        if let number = plain.record, !passed.isEmpty { journal.note(of: number) { $0.why += passed } }
        if !passed.isEmpty, !journal.isTold {
            plain.logger.info("no mock of \(plain.name) fits: \(passed.joined(separator: "; "))")
        }
        return nil
    }

    /// The answer of a matching reply, after which its steps run; for `$missing`, the error of a missing handler.
    private func answer(
        to plain: Request, original: Request, by found: FoundReply, _ input: ReplyInput
    ) async throws -> Response {
        guard !found.reply.isMissing else {
            var answer = try await withoutHandler(
                plain, original: original, saying: "\(found.title): not available in this app, says its mock")
            ends(plain, &answer, by: .reply(found.title), as: .missing)
            return answer
        }
        let call = found.reply.then.isEmpty ? nil : replySteps.begins(callIn: plain.session)
        var answer = await answer(to: plain, by: found, input)
        // A caller that has left, or whose session was reset, gets no answer, and so no steps after it.
        if let call, replySteps.ends(call: call), !Task.isCancelled {
            goOn(after: &answer, found, input, for: plain)
        }
        return answer
    }

    /// Runs a reply; an answer that is ready after the caller has left is dropped.
    private func answer(to plain: Request, by found: FoundReply, _ input: ReplyInput) async -> Response {
        let which = found.reply.isSilence ? "\(found.title), silence" : found.title
        let answering = AnsweringReply(
            reply: found.reply, which: which, input: input, request: plain, book: replyBook,
            supplier: program.replySupplier)
        tell(plain, "\(answering.name) is asked", [plain.bridgeInput?.bytes ?? plain.body.bytes ?? []])
        let began = Moment.now
        let number = found.reply.isInstant ? nil : plain.pageRequests?.began(plain)
        defer { plain.pageRequests?.ended(plain, number) }
        do {
            let response = try await answering.answer()
            try Task.checkCancellation()
            return outcome(for: plain, of: answering, response, after: began.elapsed)
        } catch {
            let error = Task.isCancelled ? CancellationError() : error
            return outcome(for: plain, of: answering, error, after: began.elapsed)
        }
    }

    /// Runs the steps that a reply has after its answer.
    ///
    /// Steps at the beginning that switch a scenario without delay run before the answer is sent: the page's next call,
    /// which may follow at once, must already find the scenario switched.
    private func goOn(
        after answer: inout Response, _ found: FoundReply, _ input: ReplyInput, for plain: Request
    ) {
        let page = plain.concernedPage.flatMap { $0.id.isEmpty ? nil : $0.id }
        let scene = scene(of: "reply \(found.title), $then", plain.session, page: page)
        var steps = found.reply.then[...]
        while let step = steps.first, step.after == 0, case .scenario(let name, let isOn) = step.action {
            do {
                try turn(name, on: isOn, in: plain.session)
            } catch {
                return logger.warning("\(scene.title): \(error)")
            }
            steps.removeFirst()
        }
        guard !steps.isEmpty else { return }
        answer.afterwards = { [steps] in self.replySteps.begin(Array(steps), input, scene) }
    }
}
