import Logging
import Synchronization

/// What is done after an answer, or when an event is played: native calls the page, tells it something, or changes the
/// scenario.
struct ReplyStep: Sendable {
    enum Deed: Sendable {
        case call(String, Template)
        case emit(String, Template)
        case scenario(String, on: Bool)
    }

    let deed: Deed
    /// Milliseconds before it.
    let after: Int

    var looksAtInput: Bool {
        switch deed {
        case .call(_, let data), .emit(_, let data): data.looksAtInput
        case .scenario: false
        }
    }
}

/// Steps that are under way: they end with their page, and with the gateway.
final class ReplySteps: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var last = 0
    }

    /// Switches a scenario on or off.
    typealias Turn = @Sendable (_ scenario: String, _ isOn: Bool) throws -> Void

    private let state = Mutex(State())

    /// Does one step after the other.
    ///
    /// - Parameters:
    ///   - title: which reply they belong to.
    ///   - turn: what a step of the scenario does.
    func play(
        _ steps: [ReplyStep], of title: String, _ input: ReplyInput, for request: Request,
        turning turn: @escaping Turn
    ) {
        // Made behind the lock: it may be over at once, and takes itself out then.
        state.withLock { state in
            state.last += 1
            let number = state.last
            state.tasks[number] = Task {
                await Self.play(steps, of: title, input, for: request, turning: turn)
                self.state.withLock { $0.tasks[number] = nil }
            }
        }
    }

    private static func play(
        _ steps: [ReplyStep], of title: String, _ input: ReplyInput, for request: Request,
        turning turn: @escaping Turn
    ) async {
        for step in steps {
            do {
                if step.after > 0 { try await Task.sleep(for: .milliseconds(step.after)) }
                try await play(step, input, for: request, turning: turn)
            } catch is CancellationError {
                return
            } catch {
                return request.logger.warning("reply \(title), $then: \(error)")
            }
        }
    }

    private static func play(
        _ step: ReplyStep, _ input: ReplyInput, for request: Request, turning turn: @escaping Turn
    ) async throws {
        switch step.deed {
        case .scenario(let name, let isOn): try turn(name, isOn)
        case .call(let name, let data):
            guard let page = request.page else { throw NoPage(name: name) }
            _ = try await page.call(name, try data.filled(input))
        case .emit(let event, let data):
            guard let page = request.page else { throw NoPage(name: event) }
            try page.emit(event, try data.filled(input))
        }
    }

    private struct NoPage: Error, CustomStringConvertible {
        let name: String

        var description: String {
            "there is no page to hear \(name): the request came from none that the gateway has given its runtime"
        }
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Nothing of it happens any more.
    func cancel() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return state.tasks.values.map(\.self)
        }
        for task in tasks { task.cancel() }
    }
}
