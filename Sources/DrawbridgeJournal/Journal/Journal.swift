import Synchronization

/// A record of each event between pages and native, in the order in which they began.
///
/// A gateway made with `keepsJournal: true` keeps the last 10,000 records, in 64 MB at most; the command's `--journal`
/// sets another number.
///
/// Numbers of records are never reused. The oldest records are dropped to make room; a reader that asks for dropped
/// records is told so.
public final class Journal: Sendable {
    package struct Limits: Sendable {
        var records = 10_000
        /// The limit of requests that were passed through, which are many and of little interest.
        var requests = 2_000
        var bytes = 64 << 20
        var bytesOfPage: Int { bytes / 2 }
    }

    struct State {
        var limits = Limits()
        /// All records except requests that were passed through.
        var records = RecordQueue()
        /// Requests that were passed through, in a queue of their own so that a page's many files never push out calls.
        var requests = RecordQueue()
        var next = 1
        private(set) var changes = 0
        /// A ring of the latest changes: at index `change % count` the number of the record that changed, 0 for none.
        private(set) var changed = Array(repeating: 0, count: 4096)
        var bytes = 0
        var bytesOfPages: [String: Int] = [:]
        var views = SessionViews()
        var unanswered = Unanswered()
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        var touched: [Topic: Int] = [:]
        var isStopping = false
        var listener: (@Sendable (JournalRecord, _ times: Int) -> Void)?
        var keeper: (@Sendable (Kept) -> Void)?

        /// Counts a change; `number` is that of the record, or 0 for a change of something else.
        mutating func change(_ number: Int = 0) {
            changes += 1
            changed[changes % changed.count] = number
        }
    }

    package let isOn: Bool
    let state = Mutex(State())
    /// How many clients read the stream of changes, and how many tasks wait for calls.
    let readers = Atomic(0)
    let waiting = Atomic(0)

    package init(isOn: Bool, limits: Limits = Limits()) {
        self.isOn = isOn
        state.withLock { $0.limits = limits }
    }

    /// Keeps the last records of this number, in the same memory.
    package func keep(records: Int) { state.withLock { $0.limits.records = records } }

    /// Records the begin of a call, or of a request that is passed through.
    ///
    /// - Parameter input: the body; nil if it was not read yet.
    package func begin(
        _ request: Request, as kind: JournalRecord.Kind = .call, from caller: JournalRecord.Caller,
        _ input: [UInt8]? = []
    ) -> Int {
        let type = JournalRecord.Head.contentType(of: request, input ?? [])
        return add(JournalRecord.Head(kind, request, from: caller, contentType: type), .waiting, input)
    }

    /// Records an event of a page, or a message that belongs to none.
    ///
    /// - Parameter state: `waiting` if an answer is expected; nil if not.
    package func note(
        _ kind: JournalRecord.Kind, of page: JournalRecord.Concerned?, _ name: String, at bridge: String = "",
        _ input: [UInt8] = [], saying sentence: String?, _ state: JournalRecord.State? = nil
    ) -> Int {
        add(JournalRecord.Head(kind, of: page, name, at: bridge), state, input, saying: sentence)
    }

    package func note(_ input: [UInt8], of request: Request, _ number: Int) {
        update(number) { record, room in record.sends(request, input, room: room) }
    }

    /// Records more about a call or an event, such as the question that it asks.
    package func note(of number: Int, _ change: (inout JournalRecord) -> Void) {
        update(number) { record, _ in change(&record) }
    }

    /// Records the end of a call; a second end is ignored.
    package func end(
        _ number: Int, _ outcome: JournalRecord.State, by answerer: JournalRecord.Answerer? = nil,
        code: Int? = nil, output: [UInt8] = [], form: JournalRecord.Form = .value
    ) {
        update(number, whereItWaits: true) { record, room in
            record.by = answerer
            record.form = form
            record.output = JournalRecord.Value(output, room: room)
            record.ends(outcome, code: code)
        }
    }

    /// Records an answer of a page to which no task listens any more.
    package func note(told: [UInt8], of number: Int) {
        update(number) { record, room in
            record.output = JournalRecord.Value(told, room: room)
            if record.state == .silent { record.ends(.answered, code: nil) }
        }
    }

    package var unanswered: [String: Int] { state.withLock { $0.unanswered.counts } }

    /// The first unanswered calls of each name since the start, and the number of calls beyond the limit of names.
    package var unansweredCalls: (calls: [(name: String, calls: [JournalRecord])], others: Int) {
        state.withLock { ($0.unanswered.calls, $0.unanswered.others) }
    }

    /// Sets the function that is called, on any thread, for each call that has ended.
    package func listen(_ listener: @escaping @Sendable (JournalRecord, _ times: Int) -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Whether there is a listener, which also logs unanswered calls, so that nothing else has to.
    package var isTold: Bool { state.withLock { $0.listener != nil } }

    package var keptBytes: Int { state.withLock { $0.bytes } }

    /// Hides all present records from a session; nil hides them from all sessions.
    package func forget(_ session: Session?) {
        state.withLock { state in
            state.views.begin(session, at: state.next)
            state.keeper?(.forgotten(session, from: state.next))
            state.change()
            state.wake { _ in true }
        }
    }

    private func add(
        _ head: JournalRecord.Head, _ outcome: JournalRecord.State?, _ input: [UInt8]?,
        saying sentence: String? = nil
    ) -> Int {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.change(number)
            let record = JournalRecord(
                number, head, outcome, change: state.changes,
                input: input.map { .init($0, room: room(for: head.page?.id, in: state)) } ?? .unread,
                output: sentence.map { .init(JSON.string($0).bytes) } ?? .nothing)
            state.count(record.bytes, of: head.page?.id)
            state.keeper?(.record(record, waiting: outcome == .waiting ? 1 : 0))
            if head.kind == .page || head.kind == .notice { state.touched[.pages] = state.changes }
            if head.kind == .request {
                state.requests.append(consume record)
            } else {
                state.records.append(consume record)
            }
            state.wake(for: number)
            makeRoom(&state)
            return number
        }
    }

    /// The most bytes to keep of a value; less if the records of its page already take much of the memory.
    private func room(for page: String?, in state: borrowing State) -> Int {
        guard let page else { return JournalRecord.Value.mostBytes }
        return max(
            0, min(JournalRecord.Value.mostBytes, state.limits.bytesOfPage - (state.bytesOfPages[page] ?? 0)))
    }

    /// - Parameter whereItWaits: if true, a record that has already ended is not changed.
    private func update(
        _ number: Int, whereItWaits: Bool = false, _ update: (inout JournalRecord, _ room: Int) -> Void
    ) {
        let told: (() -> Void)? = state.withLock { state in
            guard let (page, hasEnded) = state.records.glance(number) ?? state.requests.glance(number),
                !whereItWaits || !hasEnded
            else { return nil }
            let room = room(for: page, in: state)
            state.change(number)
            let change = state.changes
            let (more, isMissed) =
                state.update(number) { record in
                    let (before, was) = (record.bytes, record.isUnanswered)
                    update(&record, room)
                    record.change = change
                    return (record.bytes - before, record.isUnanswered && !was)
                } ?? (0, false)
            state.count(more, of: page)
            if isMissed, let record = state.record(number) { state.unanswered.add(record) }
            if let keeper = state.keeper, let record = state.record(number) {
                keeper(.record(record, waiting: hasEnded || record.state == .waiting ? 0 : -1))
            }
            state.wake(for: number)
            defer { makeRoom(&state) }
            return whereItWaits ? state.telling(of: number) : nil
        }
        told?()
    }

    func makeRoom(_ state: inout State) {
        while state.requests.count > state.limits.requests { state.drop(isRequest: true) }
        while state.records.count > state.limits.records { state.drop(isRequest: false) }
        while state.bytes > state.limits.bytes, state.records.count + state.requests.count > 0 {
            let isRequest = (state.requests.first?.number ?? .max) < (state.records.first?.number ?? .max)
            state.drop(isRequest: isRequest)
        }
    }
}

extension Journal.State {
    func record(_ number: Int) -> JournalRecord? { records.record(number) ?? requests.record(number) }

    fileprivate mutating func update<T>(_ number: Int, _ change: (inout JournalRecord) -> T) -> T? {
        records.update(number, change) ?? requests.update(number, change)
    }

    /// A closure that calls the listener, to be run after the lock is released; nil if there is no listener.
    fileprivate func telling(of number: Int) -> (() -> Void)? {
        guard let listener, let record = records.record(number), record.kind == .call else { return nil }
        let times = record.by == .nobody ? unanswered.count(of: record.name) : 0
        return { listener(record, times) }
    }

    fileprivate mutating func drop(isRequest: Bool) {
        guard let record = isRequest ? requests.removeFirst() : records.removeFirst() else { return }
        count(-record.bytes, of: record.page?.id)
        views.lose(record)
    }

    mutating func count(_ bytes: Int, of page: String?) {
        self.bytes += bytes
        guard let page else { return }
        let now = (bytesOfPages[page] ?? 0) + bytes
        bytesOfPages[page] = now > 0 ? now : nil
    }
}
