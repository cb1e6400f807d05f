package import DrawbridgeJSON
import DrawbridgeJournal
import DrawbridgeMessages
import DrawbridgePageRuntime
import Synchronization

// The connection, from the first hello to the end.
extension Page: Expiring {
    /// Takes a connection of this page, the first or another one.
    ///
    /// - Parameters:
    ///   - hello: what the page says first by it.
    ///   - received: the number of the last message that the page has applied.
    /// - Returns: false where its life is over, or ends: the page is to begin the next one.
    func connect(_ connection: any PageConnection, _ hello: JSON, received: Int) -> Bool {
        // Later changes of these come with its messages.
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
        connection?.close() != nil
    }

    /// Does as if the page had not come back in time, for tests.
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

    /// Called when the page has not come back in time: first its pending calls fail, later the page ends.
    package func expire() {
        let patience = gateway.pages.patience
        let next: () -> Void = state.withLock { state in
            switch state.phase {
            case .over: return {}
            case .leaving: return { self.end(.left) }
            case .open: break
            }
            guard state.connection == nil else { return {} }
            // A page that waits in a synchronous request cannot come back before its answer.
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
            // The memory of its handlers counts until they have ended.
            state.running = state.running.mapValues { (nil, $0.bytes) }
            state.connection = nil
            state.changes()
            state.outbox = Outbox(life: life)
            return left
        }
        guard let left else { return }
        // Of a page that was leaving, the record says `left` already.
        if case .open = left.phase { note(.page, "gone", saying: error.message) }
        Deadlines.shared.remove(self)
        gateway.pages.remove(self, last: left.received, error)
        gateway.journal.touch(.pages)
        // The page's own handlers are gone, also for requests that are on their way.
        if left.handlers != nil { gateway.registry.hasChanged() }
        for call in Array(left.calls.values) + left.deliveries.values { call.end(.failure(error)) }
        for (task, _) in left.running.values { task?.cancel() }
        left.connection?.close()
    }
}
