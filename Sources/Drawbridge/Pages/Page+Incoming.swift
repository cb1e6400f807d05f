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
    ///   - bytes: of all of them.
    ///   - step: what is done behind them.
    /// - Returns: the number of the last message that was taken; nil where the life is over, and nothing was taken.
    @discardableResult
    func take(
        _ messages: [JSON], bytes: Int, then step: (@Sendable () -> Void)? = nil,
        on loop: (any HandlerLoop)?
    ) -> Int? {
        for message in messages { tell("RCVD", message.bytes) }
        let bytes = bytes / max(1, messages.count)
        let messages = PageMessage.numbered(messages)
        let (received, mustWork): (Int?, Bool) = state.withLock { state in
            if case .over = state.phase { return (nil, false) }
            for (number, message) in messages where number == state.received + 1 {
                state.received = number
                state.inbox.append(.message(number, message, bytes: bytes))
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
            if let begun = some.lazy.compactMap(\.number).max() { hasBegun(begun) }
            if let loop, some.count == Self.workAtOnce {
                return loop.enqueue { self.work(on: loop) }
            }
        }
    }

    private func run(_ work: Work, on loop: (any HandlerLoop)?) {
        switch work {
        case .step(let step): step()
        case .message(_, .call(let call), let bytes): run(call, of: bytes, on: loop)
        case .message(_, .result(let id, let outcome), _): answered(id, outcome)
        case .message(_, .ready(let bridge), _): state.withLock { $0.add(bridge) }
        case .message(_, .moved(let url, let title), _): move(to: url, title: title)
        case .message(_, nil, _): break
        }
    }

    /// Whoever waits for the messages up to this one may begin.
    private func hasBegun(_ number: Int) {
        state.withLock { $0.begun = number }
        gateway.pages.turns.reached(.init(life: life, number: number), of: id)
    }

    /// The page says where it is.
    func move(to url: String?, title: String?) {
        state.withLock { state in
            state.url = url ?? state.url
            state.title = title ?? state.title
        }
    }

    /// Starts a handler; it is cancelled when the page goes.
    private func run(_ call: PageCall, of bytes: Int, on loop: (any HandlerLoop)?) {
        let number: Int? = state.withLock { state in
            guard state.runningMemory?.change(to: state.runningBytes + bytes) ?? true else { return nil }
            state.runningBytes += bytes
            state.lastRun += 1
            state.running[state.lastRun] = Page.Running(bytes: bytes)
            return state.lastRun
        }
        guard let number else { return reply(to: call, PageAnswer(error: .noRoomForPages)) }
        let task = Task.immediate {
            let outcome = await gateway.answer(call, of: self, on: loop)
            state.withLock { state in
                guard let ended = state.running.removeValue(forKey: number) else { return }
                state.runningBytes -= ended.bytes
                state.runningMemory?.changeAnyway(to: state.runningBytes)
            }
            reply(to: call, outcome)
        }
        let isGone = state.withLock { state in
            state.running[number]?.task = task
            if case .over = state.phase { return true }
            return false
        }
        if isGone { task.cancel() }
    }

    /// Tells the page what its call came to, as its bridge wants to hear it.
    private func reply(to call: PageCall, _ outcome: PageAnswer) {
        let problem = outcome.error.map { "\(call.name): \($0.code) \($0.message)" }
        warnIfMissing(outcome, call)
        guard let id = call.id, gateway.isHeard(outcome, call) else {
            if let problem, !outcome.isMissing { warn("\(problem); the page gave no callback to hear of it") }
            return
        }
        answer(call, under: id, outcome)
    }

    /// Sends an answer, or says in its place why it cannot go: a page waits for every call that it gave a callback.
    private func answer(_ call: PageCall, under id: Int, _ outcome: PageAnswer) {
        guard let problem = send(outcome, under: id) else { return }
        let refusal =
            Outbox.fits(PageAnswer.message(id, outcome))
            ? HTTPError(.serviceUnavailable, problem.message)
            : HTTPError(
                .contentTooLarge,
                """
                the answer has \(outcome.value.count) bytes, and a message to a page \(Outbox.limit) at most; answer \
                less, or let the page ask by a flagged request, whose answer may have any length
                """)
        warn("\(call.name): \(refusal.message)")
        if send(PageAnswer(error: refusal), under: id) != nil {
            end(PageError(.full, "the page took no answers, and asked for ever more"))
        }
    }

    /// Sends an answer; returns why there is no room for it, if so.
    ///
    /// A page that has gone needs none.
    private func send(_ answer: PageAnswer, under id: Int) -> PageError? {
        do {
            try post(PageAnswer.message(id, answer), upTo: Outbox.limitOfAnswers)
            return nil
        } catch {
            return error.reason == .full && isOpen ? error : nil
        }
    }

    /// Says that no handler has the name of a call.
    func warnIfMissing(_ answer: PageAnswer, _ call: PageCall) {
        if let hint = answer.hint { warn("\(hint) (called by \(call.bridge?.rawValue ?? "a page"))") }
    }

    /// Says something in the log and in the page's console.
    func warn(_ text: String) {
        gateway.logger.warning("page \(id.prefix(8)) at \(path): \(text)")
        _ = try? post((["log": .string(text)] as JSON).bytes)
    }
}

// The connection.
extension Page: Expiring {
    /// A connection has come for this page, the first or another one.
    ///
    /// - Parameter received: the number of the last message that the page has applied.
    /// - Returns: false where its life is over, or ends: the page is to begin the next one.
    func connect(_ connection: any PageConnection, received: Int) -> Bool {
        let (isOpen, old): (Bool, (any PageConnection)?) = state.withLock { state in
            guard case .open = state.phase else { return (false, nil) }
            Deadlines.shared.remove(self)
            let old = state.connection
            state.connection = connection
            state.isFrozen = false
            state.isMissed = false
            state.changes()
            state.outbox.acknowledge(received)
            state.outbox.begin()
            connection.send(
                ([
                    "life": .number(.init(life)),
                    "welcome": [
                        "epoch": .string(gateway.pages.epoch), "received": .number(.init(state.received)),
                    ],
                ] as JSON).bytes)
            state.sendWhatMayGo()
            return (true, old)
        }
        if let old, old !== connection { old.close() }
        return isOpen
    }

    /// The page was heard of by a request alone, and may open its channel.
    func awaitConnection() {
        state.withLock { state in
            guard case .open = state.phase, state.connection == nil else { return }
            Deadlines.shared.add(self, after: gateway.pages.patience)
        }
    }

    /// Takes the last words of a life that is over, which came late; the page is not among ``Gateway/pages``.
    ///
    /// - Parameter number: that of the last message that was taken before.
    func takeLast(_ messages: [JSON], behind number: Int) {
        state.withLock { $0.received = number }
        take(messages, bytes: 0, on: nil)
        leave()
    }

    /// A connection is gone; the page may come back with another.
    func disconnect(_ connection: any PageConnection) {
        state.withLock { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.changes()
            if case .open = state.phase { Deadlines.shared.add(self, after: gateway.pages.patience) }
        }
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
        state.withLock { state in
            guard case .open = state.phase else { return }
            state.phase = .leaving
            state.changes()
            Deadlines.shared.add(self, after: Pages.leave)
        }
    }

    /// It has not come back in time: first those who wait for its answer are told, then it is given up.
    func expire() {
        enum Step {
            case none, wait(Duration)
            case missed([PendingCall], PageError)
            case end(PageError)
        }
        let step: Step = state.withLock { state in
            switch state.phase {
            case .over: return .none
            case .leaving: return .end(.left)
            case .open: break
            }
            guard state.connection == nil else { return .none }
            // It cannot come back before it has its answer.
            guard state.waits.isEmpty else { return .wait(gateway.pages.patience) }
            guard !state.isMissed else { return .end(state.isFrozen ? .frozen : .lost) }
            state.isMissed = true
            return .missed(Array(state.calls.values), state.missing ?? .away)
        }
        switch step {
        case .none: break
        case .wait(let time): Deadlines.shared.add(self, after: time)
        case .missed(let calls, let error):
            Deadlines.shared.add(self, after: max(.zero, Pages.grace - gateway.pages.patience))
            for call in calls { giveUp(call, error) }
        case .end(let error): end(error)
        }
    }

    /// The page is no more: whoever waits for it is told, its handlers are cancelled.
    func end(_ error: PageError) {
        typealias Left = (
            calls: [PendingCall], running: [Task<Void, Never>], connection: (any PageConnection)?, last: Int,
            hadHandlers: Bool
        )
        let left: Left? = state.withLock { state in
            if case .over = state.phase { return nil }
            state.phase = .over(error)
            defer {
                state.calls = [:]
                // What the handlers have still counts until they have ended.
                state.running = state.running.mapValues { Page.Running(bytes: $0.bytes) }
                state.connection = nil
                state.changes()
                state.outbox = Outbox(life: life)
            }
            return (
                Array(state.calls.values), state.running.values.compactMap(\.task), state.connection,
                state.received, state.handlers != nil
            )
        }
        guard let left else { return }
        Deadlines.shared.remove(self)
        gateway.pages.remove(self, last: left.last, error)
        // They go with the page, also for a request that is on its way.
        if left.hadHandlers { gateway.registry.hasChanged() }
        for call in left.calls { call.end(.failure(error)) }
        for task in left.running { task.cancel() }
        left.connection?.close()
    }
}
