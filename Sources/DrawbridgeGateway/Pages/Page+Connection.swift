import Synchronization

// The connection, from the first hello to the end.
extension Page: Expiring {
    /// Takes a connection of this page, the first or another one.
    ///
    /// - Parameter received: the number of the last message that the page has applied.
    /// - Returns: false where its life is over, or ends: the page is to begin the next one.
    func connect(_ connection: any PageConnection, received: Int) -> Bool {
        let (isOpen, old, wasFrozen): (Bool, (any PageConnection)?, Bool) = state.withLock { state in
            guard case .open = state.phase else { return (false, nil, false) }
            Deadlines.shared.remove(self)
            let (old, wasFrozen) = (state.connection, state.isFrozen)
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
            return (true, old, wasFrozen)
        }
        if let old, old !== connection { old.close() }
        if wasFrozen { note(.page, "back") }
        gateway.journal.touch(.pages, .sessions)
        return isOpen
    }

    /// Gives a page that is known by a request alone time to open its channel.
    package func awaitConnection() {
        state.withLock { state in
            guard case .open = state.phase, state.connection == nil else { return }
            Deadlines.shared.add(self, after: gateway.pages.patience)
        }
    }

    /// Takes the last messages of a life that is over, which came late; the page is not among ``Gateway/pages``.
    ///
    /// - Parameter number: that of the last message that was taken before.
    package func takeLast(_ messages: [JSON], behind number: Int) {
        state.withLock { $0.received = number }
        take(messages, bytes: 0, by: nil)
        leave()
    }

    /// Notes that a connection is gone; the page may come back with another.
    func disconnect(_ connection: any PageConnection) {
        state.withLock { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.changes()
            if case .open = state.phase { Deadlines.shared.add(self, after: gateway.pages.patience) }
        }
        gateway.journal.touch(.pages)
    }

    /// Breaks the connection, for tests: the page comes back with another.
    @discardableResult package func breakConnection() -> Bool {
        let connection = state.withLock { $0.connection }
        connection?.close()
        return connection != nil
    }

    /// Does as if the page had not come back in time, for tests.
    package func giveUp() { end(.lost) }

    /// Notes that the browser keeps the page for its back button.
    package func freeze() {
        state.withLock { $0.isFrozen = true }
        note(.page, "frozen")
    }

    /// Notes that the page leaves; its last messages may come a moment later.
    package func leave() {
        let isNews = state.withLock { state in
            guard case .open = state.phase else { return false }
            state.phase = .leaving
            state.changes()
            Deadlines.shared.add(self, after: Pages.leave)
            return true
        }
        if isNews { note(.page, "left") }
    }

    /// Called when the page has not come back in time: first its pending calls fail, later the page ends.
    package func expire() {
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
            // A page that waits in a synchronous request cannot come back before its answer.
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

    /// Ends the page: native's calls of it fail, and its handlers are cancelled.
    func end(_ error: PageError) {
        typealias Left = (
            calls: [PendingCall], running: [Task<Void, Never>], connection: (any PageConnection)?, last: Int,
            hadHandlers: Bool, isNews: Bool
        )
        let left: Left? = state.withLock { state in
            let isNews: Bool
            switch state.phase {
            case .over: return nil
            // The record says `left` already.
            case .leaving: isNews = false
            case .open: isNews = true
            }
            state.phase = .over(error)
            defer {
                state.calls = [:]
                state.deliveries = [:]
                // The memory of its handlers counts until they have ended.
                state.running = state.running.mapValues { Page.Running(bytes: $0.bytes) }
                state.connection = nil
                state.changes()
                state.outbox = Outbox(life: life)
            }
            return (
                Array(state.calls.values) + state.deliveries.values,
                state.running.values.compactMap(\.task), state.connection,
                state.received, state.handlers != nil, isNews
            )
        }
        guard let left else { return }
        if left.isNews { note(.page, "gone", saying: error.message) }
        Deadlines.shared.remove(self)
        gateway.pages.remove(self, last: left.last, error)
        gateway.journal.touch(.pages)
        // The page's own handlers are gone, also for requests that are on their way.
        if left.hadHandlers { gateway.registry.hasChanged() }
        for call in left.calls { call.end(.failure(error)) }
        for task in left.running { task.cancel() }
        left.connection?.close()
    }
}
