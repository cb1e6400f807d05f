import Synchronization

/// Runs the steps of events and replies; a reset of their session cancels them, and so does the gateway's end.
package final class ReplySteps: Sendable {
    /// The session and the page for which steps are run.
    struct Scene: Sendable {
        let title: String
        let session: Session
        let logger: Logger
        /// The page that has this handler, or for `event` a listener; looked up at each step, as pages come and go.
        let page: @Sendable (_ name: String, _ bridge: String?) async throws -> Page
        let turn: @Sendable (_ scenario: String, _ isOn: Bool) throws -> Void
    }

    /// A step with its data filled in, so that the input need not be kept until it is run.
    private typealias Filled = (step: ReplyStep, data: JSON)

    private struct State {
        var tasks: [Int: (session: Session, task: Task<Void, any Error>)] = [:]
        var last = 0
        /// The sessions of calls under way that have steps after their answer.
        var calls: [Int: Session] = [:]
    }

    private let state = Mutex(State())

    /// The most lists of steps under way in a session, and in all sessions, and the most bytes of each: steps may wait
    /// for a day, and calls come again and again.
    static let most = 1000
    static let mostOfAll = 10_000
    static let mostBytes = 64 << 10

    /// Begins to run one step after the other; errors are logged.
    func begin(_ steps: [ReplyStep], _ input: ReplyInput, _ scene: Scene) {
        let (own, all) = state.withLock { state in
            (state.tasks.values.count { $0.session == scene.session }, state.tasks.count)
        }
        guard own < Self.most, all < Self.mostOfAll else {
            let whose = own < Self.most ? "of all sessions" : "of session \(scene.session.name)"
            return scene.logger.warning(
                "\(scene.title): skipped: \(max(own, all)) lists of steps \(whose) are waiting; shorten their waits, or reset"
            )
        }
        do {
            _ = start(try Self.filled(steps, input), scene, hearing: Pages.grace) { error in
                guard !(error is CancellationError) else { return }
                scene.logger.warning("\(scene.title): \(error)")
            }
        } catch {
            scene.logger.warning("\(scene.title): \(error)")
        }
    }

    private static func filled(_ steps: [ReplyStep], _ input: ReplyInput) throws -> [Filled] {
        let filled = try steps.map { (step: $0, data: try $0.data?.filled(input) ?? .null) }
        if filled.reduce(0, { $0 + $1.data.bytes.count }) <= mostBytes { return filled }
        throw Fault("its data has more than \(mostBytes >> 10) KB; use fewer placeholders")
    }

    /// Runs one step after the other, and waits until all are done.
    ///
    /// - Throws: the error of the first step that failed; later steps do not run.
    func play(_ steps: [ReplyStep], _ input: ReplyInput, _ scene: Scene) async throws {
        let task = start(try Self.filled(steps, input), scene, hearing: Self.patience) { throw $0 }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// - Parameter time: how long pages may take to confirm what they were sent, after the last step.
    private func start(
        _ steps: [Filled], _ scene: Scene, hearing time: Duration,
        failing: @escaping @Sendable (any Error) throws -> Void
    ) -> Task<Void, any Error> {
        // Made under the lock: a task that is over at once must not remove itself before it was added.
        state.withLock { state in
            state.last += 1
            let number = state.last
            let task = Task {
                defer { self.state.withLock { $0.tasks[number] = nil } }
                do {
                    try await Self.play(steps, scene, hearing: time)
                } catch {
                    try failing(error)
                }
            }
            state.tasks[number] = (scene.session, task)
            return task
        }
    }

    /// Runs the steps, and waits until pages have confirmed all that was sent.
    ///
    /// No step waits for an answer, which many pages do not give.
    private static func play(_ steps: [Filled], _ scene: Scene, hearing time: Duration) async throws {
        var sent: [Sent] = []
        var failure: (any Error)?
        do {
            for (step, data) in steps {
                try Task.checkCancellation()
                if step.after > 0 { try await Task.sleep(for: .milliseconds(step.after)) }
                if let one = try await play(step, data, scene) { sent.append(one) }
            }
        } catch {
            failure = error
        }
        let end = ContinuousClock.now + time
        var unheard = Unheard()
        for one in sent {
            do {
                _ = try await one.delivery.result(within: max(.zero, ContinuousClock.now.duration(to: end)))
                scene.logger.info(
                    "\(scene.title): page \(one.page.id.prefix(8)) at \(one.page.path) confirmed \(one.name)")
            } catch let error as PageError {
                unheard.add(one.name, by: one.page, error)
            }
        }
        try Task.checkCancellation()
        if let failure {
            if !unheard.all.isEmpty { scene.logger.warning("\(scene.title): \(unheard)") }
            throw failure
        }
        if !unheard.all.isEmpty { throw unheard }
    }

    private typealias Sent = (name: String, page: Page, delivery: PendingCall)

    private static func play(_ step: ReplyStep, _ data: JSON, _ scene: Scene) async throws -> Sent? {
        switch step.action {
        case .scenario(let name, let isOn):
            try scene.turn(name, isOn)
            return nil
        case .call(let name, _):
            let page = try await scene.page(name, nil)
            return (name, page, try page.deliver(name, data))
        case .emit(let event, _):
            let page = try await scene.page(event, "event")
            return (event, page, try page.deliver(event: event, data))
        }
    }

    /// How long a connected page may take to confirm an event; an open `alert` delays that.
    package static let patience = Duration.seconds(10)

    /// Lists the calls and events that pages have not confirmed in time.
    package struct Unheard: Error, CustomStringConvertible {
        private(set) var all: [(name: String, page: JSON, reason: String)] = []

        package init() {}

        package mutating func add(_ name: String, by page: Page, _ error: PageError) {
            all.append((name, page.described, "page \(page.id.prefix(8)) at \(page.path): \(error)"))
        }

        package var description: String {
            all.map { "\($0.name) failed in \($0.reason)" }.joined(separator: "; ")
        }

        /// For a program: what was not confirmed, by which page, and why.
        package var data: JSON {
            .array(all.map { ["name": .string($0.name), "page": $0.page, "why": .string($0.reason)] })
        }
    }

    package struct Fault: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }

        init(nobodyHears name: String) {
            self.init(
                "no page to call \(name) in: none is open, or the one that called was closed or has not used a bridge yet"
            )
        }
    }

    var count: Int { state.withLock { $0.tasks.count } }

    /// Notes a call that has steps after its answer, until ``ends(call:)``.
    func begins(callIn session: Session) -> Int {
        state.withLock { state in
            state.last += 1
            state.calls[state.last] = session
            return state.last
        }
    }

    /// Ends a call; returns whether its steps may begin, which they may not if its session was reset meanwhile.
    func ends(call number: Int) -> Bool { state.withLock { $0.calls.removeValue(forKey: number) != nil } }

    func cancel(in session: Session? = nil) {
        let tasks = state.withLock { state in
            if let session { state.calls = state.calls.filter { $0.value != session } }
            let ended = state.tasks.filter { session == nil || $0.value.session == session }
            for number in ended.keys { state.tasks[number] = nil }
            return ended.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
