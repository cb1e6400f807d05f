import Logging
import Synchronization

/// Steps that are under way: they end with their session's reset, and with the gateway.
final class ReplySteps: Sendable {
    /// For whom steps are done.
    struct Scene: Sendable {
        /// Which reply or event they belong to.
        let title: String
        let session: Session
        let logger: Logger
        /// The page that hears them; asked at each step, since one that was away may be back.
        let page: @Sendable () -> Page?
        /// Switches a scenario on or off.
        let turn: @Sendable (_ scenario: String, _ isOn: Bool) throws -> Void
    }

    /// A step with its templates filled in: what was sent is kept no longer than that takes.
    private struct Filled: Sendable {
        enum Deed: Sendable {
            case call(String, JSON)
            case emit(String, JSON)
            case scenario(String, on: Bool)
        }

        let deed: Deed
        let after: Int

        init(_ step: ReplyStep, _ input: ReplyInput) throws {
            after = step.after
            deed =
                switch step.deed {
                case .call(let name, let data): .call(name, try data.filled(input))
                case .emit(let name, let data): .emit(name, try data.filled(input))
                case .scenario(let name, let isOn): .scenario(name, on: isOn)
                }
        }

        var size: Int {
            switch deed {
            case .call(_, let data), .emit(_, let data): data.bytes.count
            case .scenario: 0
            }
        }
    }

    private struct State {
        var tasks: [Int: (session: Session, task: Task<Void, any Error>)] = [:]
        var last = 0
        /// How often each session was reset.
        var resets: [Session: Int] = [:]
    }

    private let state = Mutex(State())

    /// So many may be under way at once, of so many bytes each: steps may wait for a day, and calls come again and again.
    static let most = 1000
    static let mostBytes = 64 << 10

    /// Begins to do one step after the other; what goes wrong is said in the log.
    ///
    /// - Parameter input: what their templates stand for.
    func begin(_ steps: [ReplyStep], _ input: ReplyInput, _ scene: Scene) {
        guard count < Self.most else {
            return scene.logger.warning(
                "\(scene.title): left out, since \(Self.most) lists of steps wait already; let them wait less, or reset"
            )
        }
        do {
            _ = start(try Self.filled(steps, input), scene) { error in
                guard !(error is CancellationError) else { return }
                scene.logger.warning("\(scene.title): \(error)")
            }
        } catch {
            scene.logger.warning("\(scene.title): \(error)")
        }
    }

    private static func filled(_ steps: [ReplyStep], _ input: ReplyInput) throws -> [Filled] {
        let filled = try steps.map { try Filled($0, input) }
        guard filled.reduce(0, { $0 + $1.size }) <= mostBytes else { throw TooMuch() }
        return filled
    }

    struct TooMuch: Error, CustomStringConvertible {
        var description: String {
            "its data has more than \(ReplySteps.mostBytes >> 10) KB; let it say less of what was sent"
        }
    }

    /// Does one step after the other, and waits until all are done.
    ///
    /// - Throws: what went wrong with the first that could not be done; the others are left out.
    func play(_ steps: [ReplyStep], _ input: ReplyInput, _ scene: Scene) async throws {
        let task = start(try Self.filled(steps, input), scene) { throw $0 }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func start(
        _ steps: [Filled], _ scene: Scene, failing: @escaping @Sendable (any Error) throws -> Void
    ) -> Task<Void, any Error> {
        // Made behind the lock: it may be over at once, and takes itself out then.
        state.withLock { state in
            state.last += 1
            let number = state.last
            let task = Task {
                defer { self.state.withLock { $0.tasks[number] = nil } }
                do {
                    for step in steps { try await Self.play(step, scene) }
                } catch {
                    try failing(error)
                }
            }
            state.tasks[number] = (scene.session, task)
            return task
        }
    }

    private static func play(_ step: Filled, _ scene: Scene) async throws {
        try Task.checkCancellation()
        if step.after > 0 { try await Task.sleep(for: .milliseconds(step.after)) }
        switch step.deed {
        case .scenario(let name, let isOn): try scene.turn(name, isOn)
        case .call(let name, let data):
            guard let page = scene.page() else { throw NoPage(name: name) }
            // Many pages give no answer to what they hear, and the next step should not wait for one.
            try page.send(name, data)
            scene.logger.info("\(scene.title): called \(name) in page \(page.id.prefix(8)) (\(page.path))")
        case .emit(let event, let data):
            guard let page = scene.page() else { throw NoPage(name: event) }
            try page.emit(event, data)
        }
    }

    /// Nobody is there to hear a step.
    struct NoPage: Error, CustomStringConvertible {
        let name: String

        var description: String {
            """
            no page to call \(name) in: the caller is not a page with the page runtime, or has not used a bridge yet
            """
        }
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    /// How often a session was reset: what began before has nothing to do after it.
    func resets(of session: Session) -> Int { state.withLock { $0.resets[session, default: 0] } }

    /// Nothing of it happens any more; of one session's, or of any.
    func cancel(in session: Session? = nil) {
        let tasks = state.withLock { state in
            if let session {
                // Nobody counts on the number of a session of so many tests ago.
                if state.resets.count >= 10 * ReplyBook.mostSessions { state.resets = [:] }
                state.last += 1
                state.resets[session] = state.last
            }
            let ended = state.tasks.filter { session == nil || $0.value.session == session }
            for number in ended.keys { state.tasks[number] = nil }
            return ended.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
