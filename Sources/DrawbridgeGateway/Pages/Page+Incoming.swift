import Synchronization

// Messages from the page to native.
extension Page {
    /// How many messages are handled in a row before other work on the loop has its turn.
    private static let workAtOnce = 64

    /// Takes the messages whose numbers come next; others were taken before, or will be sent again.
    ///
    /// - Parameters:
    ///   - messages: pairs of a number and a message.
    ///   - bytes: the size of all messages together.
    ///   - step: called after the handling of the messages has begun.
    /// - Returns: the number of the last message that was taken; nil if the page's life is over.
    @discardableResult
    package func take(
        _ messages: [JSON], bytes: Int, then step: (@Sendable () -> Void)? = nil,
        by tasks: HandlerTasks?
    ) -> Int? {
        for message in messages { tell("RCVD", message.bytes) }
        let bytes = bytes / max(1, messages.count)
        let messages = PageMessage.numbered(messages)
        let (received, mustWork): (Int?, Bool) = state.withLock { state in
            if case .over = state.phase { return (nil, false) }
            for (number, message) in messages where number == state.received + 1 {
                state.received = number
                state.inbox.append((number, message, bytes, nil))
            }
            state.outbox.taken = state.received
            if let step { state.inbox.append((nil, nil, 0, step)) }
            let mustWork = !state.isWorking && !state.inbox.isEmpty
            if mustWork { state.isWorking = true }
            return (state.received, mustWork)
        }
        if mustWork { work(by: tasks) }
        return received
    }

    /// Handles messages one after the other, whether they came by the channel or by HTTP.
    private func work(by tasks: HandlerTasks?) {
        while true {
            let some = state.withLock { state in
                let some = state.inbox.prefix(Self.workAtOnce)
                state.inbox.removeFirst(some.count)
                if some.isEmpty { state.isWorking = false }
                return some
            }
            guard !some.isEmpty else { return }
            for work in some { run(work, by: tasks) }
            if let begun = some.lazy.compactMap(\.number).max() {
                state.withLock { $0.begun = begun }
                // Requests that wait for these messages begin now.
                gateway.pages.turns.reached(.init(life: life, number: begun), of: id)
            }
            guard some.count == Self.workAtOnce else { continue }
            if let tasks { return tasks.loop.enqueue { self.work(by: tasks) } }
            // A new task, since this may run on a loop, where other work has its turn first.
            Task { self.work(by: nil) }
            return
        }
    }

    private func run(_ work: Work, by tasks: HandlerTasks?) {
        work.step?()
        switch work.message {
        case .call(let call): run(call, of: work.bytes, by: tasks)
        case .result(let id, let outcome): answered(id, outcome)
        case .told(let id, let outcome): told(id, outcome)
        case .answer(let number, let outcome): gateway.decide(number, outcome, by: self)
        case .ready(let bridge):
            state.withLock { $0.add(bridge) }
            gateway.journal.touch(.pages)
        case .missed(let name): miss(name)
        case .app(let note): say(note)
        case .fault(let kind, let detail): note(fault: kind, detail)
        case .bridgeFault(let bridge, let message, let line): tellFault(of: bridge, message, line)
        case .moved(let url, let title, let isHidden):
            move(to: url, title: title)
            if let isHidden { note(isHidden: isHidden) }
        case nil: break
        }
    }

    private static let mostBridgeFaults = 20

    private func tellFault(of bridge: Bridge, _ message: String, _ line: Int?) {
        let isOne = state.withLock { state in
            state.bridgeFaults += 1
            return state.bridgeFaults <= Self.mostBridgeFaults
        }
        guard isOne, gateway.hasBridge(bridge) else { return }
        let place = "\(bridge.rawValue).js\(line.map { ":\($0)" } ?? "")"
        gateway.logger.warning("page \(id.prefix(8)) at \(path): \(place): \(message.cut(to: 1000))")
    }

    /// Stores the URL and the title that the page reports.
    ///
    /// They are shortened, since a page may send any text, and often.
    func move(to url: String?, title: String?) {
        let address = url.map { Address($0, item: gateway.pageIDItem) }
        state.withLock { state in
            state.address = address ?? state.address
            state.title = title?.cut(to: Self.mostOfTitle) ?? state.title
        }
        gateway.journal.touch(.pages)
    }

    /// Answers a page's call; its handler is cancelled when the page ends.
    private func run(_ call: PageCall, of bytes: Int, by tasks: HandlerTasks?) {
        let number: Int? = state.withLock { state in
            guard state.runningMemory?.change(to: state.runningBytes + bytes) ?? true else { return nil }
            state.runningBytes += bytes
            state.lastRun += 1
            state.running[state.lastRun] = (nil, bytes)
            return state.lastRun
        }
        guard let number else { return end(call, PageAnswer(error: .noRoomForPages)) }
        let task = Task.immediate {
            let outcome = await gateway.respond(to: call, of: self, by: tasks)
            end(call, outcome)
            state.withLock { state in
                guard let ended = state.running.removeValue(forKey: number) else { return }
                state.runningBytes -= ended.bytes
                state.runningMemory?.changeAnyway(to: state.runningBytes)
            }
            outcome.afterwards?()
        }
        let isGone = state.withLock { state in
            state.running[number]?.task = task
            if case .over = state.phase { return true }
            return false
        }
        if isGone { task.cancel() }
    }

    private func end(_ call: PageCall, _ outcome: PageAnswer) {
        let problem = outcome.error.map { "\(call.name): \($0.code) \($0.message)" }
        gateway.hear(of: outcome, to: call, from: self)
        guard let id = call.id, gateway.isHeard(outcome, call) else {
            if let problem, !outcome.isMissing { warn("\(problem); the page gave no callback for it") }
            return
        }
        // The log has this in the line of the call. Few pages show errors, so the page's console gets it too.
        if let problem, outcome.isRefusedInput { tellConsole(problem) }
        // The page waits for its callback, so it gets an error if the answer cannot be sent.
        guard let obstacle = send(outcome, under: id) else { return }
        let refusal =
            Outbox.fits(PageAnswer.message(id, outcome))
            ? HTTPError(.serviceUnavailable, obstacle.message)
            : HTTPError(
                .contentTooLarge,
                """
                the answer has \(outcome.value.count) bytes, and a message to a page \(Outbox.limit) at most; answer \
                less, or let the page send a request with _mobile_bridge=1, whose answer may have any length
                """)
        warn("\(call.name): \(refusal.message)")
        if send(PageAnswer(error: refusal), under: id) != nil {
            end(PageError(.full, "the page does not read its answers, but makes more and more calls"))
        }
    }

    /// Sends an answer; returns an error if there is no room for it, and nil if the page has gone.
    private func send(_ answer: PageAnswer, under id: Int) -> PageError? {
        do {
            try post(PageAnswer.message(id, answer), upTo: Outbox.limitOfAnswers)
            return nil
        } catch {
            return error.reason == .full && isOpen ? error : nil
        }
    }

    func warn(_ text: String) {
        gateway.logger.warning("page \(id.prefix(8)) at \(path): \(text)")
        tellConsole(text)
    }

    func tellConsole(_ text: String) { _ = try? post((["log": .string(text)] as JSON).bytes) }

    /// The most missed names that are kept for a page; its script does not report more.
    private static let mostMissed = 50

    /// Records a name that the page has looked up in vain.
    func miss(_ missed: MissedName) {
        let isNew = state.withLock { state in
            guard state.missed.count < Self.mostMissed, !state.missed.contains(missed) else { return false }
            state.missed.append(missed)
            return true
        }
        if isNew { gateway.hear(of: missed, from: self) }
    }

    private func say(_ note: InAppNote) {
        let isOne = state.withLock { state in
            state.appNotes += 1
            return state.appNotes <= Self.mostMissed
        }
        if isOne { gateway.hear(of: note, from: self) }
    }
}
