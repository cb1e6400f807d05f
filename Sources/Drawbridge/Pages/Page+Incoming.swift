import HTTPTypes
import Synchronization

// Page to native.
extension Page {
    /// Calls in a row that are begun before others on the loop get their turn.
    private static let workAtOnce = 64

    /// Takes numbered messages that are the next ones; others were taken before, or will come again.
    ///
    /// - Parameters:
    ///   - messages: each a number and what it says.
    ///   - step: what is done behind them.
    /// - Returns: the number of the last message that was taken.
    @discardableResult
    func take(
        _ messages: [JSON], then step: (@Sendable () -> Void)? = nil, on loop: (any HandlerLoop)?
    ) -> Int {
        for message in messages { tell("RCVD", message.bytes) }
        let messages = PageMessage.numbered(messages)
        let (received, mustWork) = state.withLock { state in
            for (number, message) in messages where number == state.received + 1 {
                state.received = number
                if let message { state.inbox.append(.message(message)) }
            }
            if let step { state.inbox.append(.step(step)) }
            let mustWork = !state.isWorking && !state.inbox.isEmpty
            if mustWork { state.isWorking = true }
            return (state.received, mustWork)
        }
        if mustWork { work(on: loop) }
        return received
    }

    /// One after the other, whichever way they came.
    private func work(on loop: (any HandlerLoop)?) {
        while true {
            let some = state.withLock { state in
                let some = state.inbox.prefix(loop == nil ? .max : Self.workAtOnce)
                state.inbox.removeFirst(some.count)
                if some.isEmpty { state.isWorking = false }
                return some
            }
            guard !some.isEmpty else { return }
            for work in some { run(work, on: loop) }
            if let loop, some.count == Self.workAtOnce {
                return loop.schedule { self.work(on: loop) }
            }
        }
    }

    private func run(_ work: Work, on loop: (any HandlerLoop)?) {
        switch work {
        case .step(let step): step()
        case .message(.call(let call)): run(call, on: loop)
        case .message(.result(let id, let outcome)): answered(id, outcome)
        case .message(.ready(let bridge)): state.withLock { _ = $0.bridges.insert(bridge) }
        case .message(.moved(let url, let title)): move(to: url, title: title)
        }
    }

    /// The page says where it is.
    func move(to url: String?, title: String?) {
        state.withLock { state in
            state.url = url ?? state.url
            state.title = title ?? state.title
        }
    }

    /// Starts a handler; it is cancelled when the page goes.
    private func run(_ call: PageCall, on loop: (any HandlerLoop)?) {
        let number = state.withLock { state in
            state.lastRun += 1
            state.running.updateValue(nil, forKey: state.lastRun)
            return state.lastRun
        }
        let task = Task.immediate {
            let outcome = await gateway.answer(call, of: self, on: loop)
            state.withLock { _ = $0.running.removeValue(forKey: number) }
            reply(to: call, outcome)
        }
        let isGone = state.withLock { state in
            if state.running.keys.contains(number) { state.running.updateValue(task, forKey: number) }
            return state.gone != nil
        }
        if isGone { task.cancel() }
    }

    /// Tells the page what its call came to, as its door wants to hear it.
    private func reply(to call: PageCall, _ outcome: PageAnswer) {
        let problem = outcome.error.map { "\(call.name): \($0.code) \($0.message)" }
        warnIfMissing(outcome, call)
        let isSilent =
            outcome.isMissing && gateway.pageRuntime?.missing != .answer && call.door?.needsAnswer != true
        guard let id = call.id, !isSilent else {
            if let problem, !outcome.isMissing { warn("\(problem); the page gave no callback to hear of it") }
            return
        }
        answer(call, under: id, outcome)
    }

    /// Sends an answer, or says in its place why it cannot go: a page waits for every call that it gave a callback.
    private func answer(_ call: PageCall, under id: Int, _ outcome: PageAnswer) {
        guard !send(outcome, under: id) else { return }
        let refusal =
            Outbox.fits(PageAnswer.message(id, outcome))
            ? HTTPError(.serviceUnavailable, "too many answers wait for the page, which does not take them")
            : HTTPError(
                .contentTooLarge,
                """
                the answer has \(outcome.value.count) bytes, and a message to a page \(Outbox.limit) at most; answer \
                less, or let the page ask by a flagged request, whose answer may have any length
                """)
        warn("\(call.name): \(refusal.message)")
        if !send(PageAnswer(error: refusal), under: id) {
            end(PageError(.full, "the page took no answers, and asked for ever more"))
        }
    }

    /// Sends an answer; false where there is no room for it.
    ///
    /// A page that has gone needs none.
    private func send(_ answer: PageAnswer, under id: Int) -> Bool {
        do {
            try post(PageAnswer.message(id, answer), upTo: Outbox.limitOfAnswers)
            return true
        } catch {
            return error.reason != .full || !isOpen
        }
    }

    /// Says that no handler has the name of a call.
    func warnIfMissing(_ answer: PageAnswer, _ call: PageCall) {
        if let hint = answer.hint { warn("\(hint) (called by \(call.door?.rawValue ?? "a page"))") }
    }

    /// Says something in the log and in the page's console.
    func warn(_ text: String) {
        gateway.logger.warning("page \(id.prefix(8)) at \(path): \(text)")
        try? post((["log": .string(text)] as JSON).bytes)
    }
}

// The connection.
extension Page: Expiring {
    /// A connection has come for this page, the first or another one.
    ///
    /// - Parameter received: the number of the last message that the page has applied; nil when it begins anew.
    func connect(_ connection: any PageConnection, received: Int?, isNew: Bool) {
        Deadlines.shared.remove(self)
        let old = state.withLock { state in
            let old = state.connection
            state.connection = connection
            state.isFrozen = false
            if let received { state.outbox.acknowledge(received) }
            state.outbox.begin()
            connection.send(
                ([
                    "welcome": [
                        "epoch": .string(gateway.epoch), "received": .number(.init(state.received)),
                        "new": .bool(isNew),
                    ]
                ] as JSON).bytes)
            state.sendWhatMayGo()
            return old
        }
        if let old, old !== connection { old.close() }
    }

    /// A connection is gone; the page may come back with another.
    func disconnect(_ connection: any PageConnection) {
        let isLost = state.withLock { state in
            guard state.connection === connection else { return false }
            state.connection = nil
            return state.gone == nil && !state.isLeaving
        }
        if isLost { Deadlines.shared.add(self, after: Pages.grace) }
    }

    /// Breaks the connection, for tests: the page comes back with another.
    ///
    /// - Returns: whether there was one.
    @discardableResult package func breakConnection() -> Bool {
        let connection = state.withLock { $0.connection }
        connection?.close()
        return connection != nil
    }

    /// Does as if the page had not come back in time, for tests.
    package func giveUp() { end(.lost) }

    /// The page has gone to where the back button finds it.
    func freeze() { state.withLock { $0.isFrozen = true } }

    /// The page goes; what it says while it does may come a moment later.
    func leave() {
        let isFirst = state.withLock { state in
            defer { state.isLeaving = true }
            return !state.isLeaving && state.gone == nil
        }
        if isFirst { Deadlines.shared.add(self, after: Pages.leave) }
    }

    /// It did not come back in time.
    func expire() {
        let (isLeaving, isFrozen, isWaiting) = state.withLock {
            ($0.isLeaving, $0.isFrozen, !$0.waits.isEmpty)
        }
        if isLeaving { return end(.left) }
        // It cannot come back before it has its answer.
        if isWaiting { return Deadlines.shared.add(self, after: Pages.grace) }
        end(
            isFrozen
                ? PageError(.frozen, "the page is kept for the browser's back button, and does not run there")
                : .lost)
    }

    /// The page is no more: whoever waits for it is told, its handlers are cancelled.
    func end(_ error: PageError) {
        typealias Left = (
            calls: [PendingCall], running: [Task<Void, Never>], connection: (any PageConnection)?
        )
        let left: Left? = state.withLock { state in
            guard state.gone == nil else { return nil }
            state.gone = error
            defer {
                state.calls = [:]
                state.running = [:]
                state.connection = nil
                state.outbox = Outbox()
            }
            return (Array(state.calls.values), state.running.values.compactMap(\.self), state.connection)
        }
        guard let left else { return }
        Deadlines.shared.remove(self)
        gateway.pages.remove(self, error)
        for call in left.calls { call.end(.failure(error)) }
        for task in left.running { task.cancel() }
        left.connection?.close()
    }
}
