import HTTPTypes
import Logging

// Begins answers for an engine: where nothing but the handler must be awaited, as for most requests, without a task
// of its own.
extension Gateway {
    /// How far the answer to a request has come.
    package enum Beginning: ~Copyable {
        case answered(Response, to: Request)
        /// A handler or a passage is at work on the answer.
        case pending(any Pending, for: Request)
        /// Calling this makes what is behind the gateway answer: once, at once or later, unless the cancellation that
        /// it returns is called first.
        case relaying(Relaying, for: Request)

        /// The request, with the admission that let it in if one did.
        package var request: Request {
            switch self {
            case .answered(_, let request): request
            case .pending(_, let request): request
            case .relaying(_, let request): request
            }
        }
    }

    /// Takes what receives the answer, and returns what cancels it.
    package typealias Relaying = (_ tell: @escaping (consuming Response) -> Void) ->
        @Sendable () -> Void

    /// Begins to answer a request whose body is there, or is a stream.
    package func begin(_ plan: Plan, for known: KnownHead, by tasks: HandlerTasks) -> Beginning {
        assert(
            tasks.loop.isCurrent, "a request began on another thread than its loop's, which has the decision")
        guard plan.isClosed || middleware.isEmpty && !known.head.waitsForItsTurn else {
            return pass(plan, by: tasks)
        }
        let request = plan.request
        if var answer = answerToHead(plan) {
            finish(&answer, for: request)
            return .answered(answer, to: request)
        }
        if case .own = plan.way { return pass(plan, by: tasks) }
        guard case .native(let plain, let taker) = plan.way else {
            guard let begin = relaying(request) else { return pass(plan, by: tasks) }
            let number = passes(request)
            return .relaying(
                { tell in
                    let cancel = begin { [self] answer in
                        var answer = answer
                        passed(number, answer.status)
                        finish(&answer, for: request)
                        tell(answer)
                    }
                    guard let number else { return cancel }
                    return { [self] in
                        journal.end(number, .left)
                        cancel()
                    }
                }, for: request)
        }
        let asked = taker.asked(plain)
        guard case .taken(let route) = asked else {
            return pass(asked.declining.map(plan.declined) ?? plan, by: tasks)
        }
        guard route.middleware.isEmpty, !wantsAllOfBody(route, plain) else { return pass(plan, by: tasks) }
        if case .likely = taker { keep(plan, with: known) }
        var called = plain
        if journal.isOn { begins(&called, original: request) }
        switch start(route, called, by: tasks) {
        case .answered(var answer):
            finish(&answer, for: request)
            return .answered(answer, to: request)
        case .loading(let load): return .pending(load, for: request)
        }
    }

    /// Goes on in a task, where something besides the handler must be awaited.
    private func pass(_ plan: Plan, by tasks: HandlerTasks) -> Beginning {
        let passage = Passage(self, plan, by: tasks)
        return passage.start()
            ? .answered(passage.response(to: plan.request, in: self), to: plan.request)
            : .pending(passage, for: plan.request)
    }
}

extension Load: Pending {
    package func response(to request: Request, in gateway: Gateway) -> Response {
        var answer = gateway.response(of: self)
        gateway.finish(&answer, for: request)
        return answer
    }
}
