import Synchronization

// The page's connection, from the first `hello` to the end of the page.
extension Page: Expiring {
    /// Uses a new connection of this page, which replaces an earlier one.
    ///
    /// - Parameters:
    ///   - hello: the first message on the connection.
    ///   - received: the number of the last message that the page has handled.
    /// - Returns: false if the page's life is over or is ending: the page must begin the next one.
    func connect(_ connection: any PageConnection, _ hello: JSON, received: Int) -> Bool {
        // Later changes of URL and title come in messages.
        if self.received == 0 { move(to: hello["url"]?.stringValue, title: hello["title"]?.stringValue) }
        let old: (connection: (any PageConnection)?, isFrozen: Bool)? = state.withLock { state in
            for bridge in hello["bridges"]?.arrayValue ?? [] { Bridge(bridge).map { state.add($0) } }
            guard case .open = state.phase else { return nil }
            Deadlines.shared.remove(self)
            let old = (state.connection, state.isFrozen)
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
            return old
        }
        guard let old else { return false }
        if old.connection !== connection { old.connection?.close() }
        if old.isFrozen { note(.page, "back") }
        gateway.journal.touch(.pages, .sessions)
        return true
    }

    func acknowledge(_ number: Int) {
        state.withLock { state in
            state.outbox.acknowledge(number)
            state.sendWhatMayGo()
        }
    }

    /// Starts the time in which a page that has sent only HTTP requests must open its channel.
    package func awaitConnection() {
        state.withLock { state in
            guard case .open = state.phase, state.connection == nil else { return }
            Deadlines.shared.add(self, after: gateway.pages.patience)
        }
    }

    /// Handles late messages of a life that is over; this page object is not among ``Gateway/pages``.
    ///
    /// - Parameter number: the number of the last message that was taken before.
    package func takeLast(_ messages: [JSON], behind number: Int) {
        state.withLock { $0.received = number }
        take(messages, bytes: 0, by: nil)
        leave()
    }

    func disconnect(_ connection: any PageConnection) {
        state.withLock { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.changes()
            if case .open = state.phase { Deadlines.shared.add(self, after: gateway.pages.patience) }
        }
        gateway.journal.touch(.pages)
    }

    /// Ends the page as if it had not connected again in time, for tests.
    package func giveUp() { end(.lost) }

    package func freeze() {
        state.withLock { $0.isFrozen = true }
        note(.page, "frozen")
    }

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

    /// Called when the page has not connected again in time: first its pending calls fail, later the page ends.
    package func expire() {
        let patience = gateway.pages.patience
        let next: () -> Void = state.withLock { state in
            switch state.phase {
            case .over: return {}
            case .leaving: return { self.end(.left) }
            case .open: break
            }
            guard state.connection == nil else { return {} }
            // A page that is blocked by a synchronous request cannot connect before it has the answer.
            guard state.waits.isEmpty else { return { Deadlines.shared.add(self, after: patience) } }
            guard !state.isMissed else {
                return { [isFrozen = state.isFrozen] in self.end(isFrozen ? .frozen : .lost) }
            }
            state.isMissed = true
            return { [calls = state.calls.values, error = state.missing ?? .away] in
                Deadlines.shared.add(self, after: max(.zero, Pages.grace - patience))
                for call in calls { self.giveUp(call, error) }
            }
        }
        next()
    }

    /// Ends the page: native's calls of it fail, and its handlers are cancelled.
    func end(_ error: PageError) {
        let left: State? = state.withLock { state in
            if case .over = state.phase { return nil }
            let left = state
            state.phase = .over(error)
            state.calls = [:]
            state.deliveries = [:]
            // The bytes of running calls count until their handlers have ended.
            state.running = state.running.mapValues { (nil, $0.bytes) }
            state.connection = nil
            state.changes()
            state.outbox = Outbox(life: life)
            return left
        }
        guard let left else { return }
        // A page that was leaving has its record `left` already.
        if case .open = left.phase { note(.page, "gone", saying: error.message) }
        Deadlines.shared.remove(self)
        gateway.pages.remove(self, last: left.received, error)
        gateway.journal.touch(.pages)
        // Cached decisions may lead to the page's own handlers, which are gone.
        if left.handlers != nil { gateway.registry.hasChanged() }
        for call in Array(left.calls.values) + left.deliveries.values { call.end(.failure(error)) }
        for (task, _) in left.running.values { task?.cancel() }
        left.connection?.close()
    }
}
