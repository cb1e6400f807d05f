import HTTPTypes

// Begins answers for an engine: where nothing but the handler must be awaited, as for most requests, without a task
// of its own.
extension Gateway {
    /// How far the answer to a request has come.
    package enum Beginning: ~Copyable {
        case answered(Response)
        /// A handler is at work on the answer, or what is behind the gateway.
        case pending(any Pending)
    }

    /// Begins to answer a request whose body is there, or is a stream.
    ///
    /// - Parameter plan: another one afterwards where its handler has declined.
    package func begin(_ plan: inout Plan, for known: KnownHead, by tasks: HandlerTasks) -> Beginning {
        assert(
            tasks.loop.isCurrent, "a request began on another thread than its loop's, which has the decision")
        if plan.isClosed || middleware.isEmpty && !known.head.waitsForItsTurn {
            switch start(&plan, by: tasks) {
            case .answered(var answer)?:
                finish(&answer, for: plan.request)
                return .answered(answer)
            case .loading(let load)?: return .pending(load)
            case nil: break
            }
        }
        var passing: Passing?
        // Where there is an error, the task finds it too.
        if middleware.isEmpty, case .behind = plan.way { passing = self.passing(plan.request) }
        let passage = Passage(self, plan, passing, by: tasks)
        if let passing, let begin = passing.responders.relaying(passing.request) {
            relay(plan.request, by: passage, passing, begin)
        } else {
            passage.start()
        }
        return passage.isOver
            ? .answered(passage.response(to: plan.request, in: self)) : .pending(passage)
    }

    enum Start: ~Copyable {
        case answered(Response)
        case loading(Load)
    }

    /// Answers by a plan where nothing but a handler must be awaited; else nil, and nothing has begun.
    ///
    /// - Parameter plan: the others are asked by it afterwards, where its handler has declined.
    func start(_ plan: inout Plan, by tasks: HandlerTasks?) -> Start? {
        if let answer = answerToHead(plan) { return .answered(answer) }
        guard case .native(var plain, let taker) = plan.way, let route = taker.route,
            route.middleware.isEmpty, !wantsAllOfBody(route, plain)
        else { return nil }
        guard taker.taking(plain) != nil else {
            plan = plan.declined(by: route)
            return nil
        }
        if journal.isOn { begins(&plain, original: plan.request) }
        return start(route, plain, by: tasks)
    }

    /// Lets what is behind the gateway answer without a task.
    private func relay(_ request: Request, by passage: Passage, _ passing: Passing, _ begin: Relaying) {
        let number = passes(request)
        passage.start(begin) { [self] response, isCancelled in
            var answer = passing.answer(response) ?? response
            passed(number, isCancelled ? nil : answer.status)
            finish(&answer, for: request)
            return answer
        }
    }

    /// The same with a task.
    func respond(to request: Request, by passing: Passing) async -> Response {
        var answer: Response
        do {
            answer = try await pass(request, by: passing)
        } catch {
            answer = Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
        finish(&answer, for: request)
        return answer
    }
}

extension Load: Pending {
    package func response(to request: Request, in gateway: Gateway) -> Response {
        var answer = gateway.response(of: self)
        gateway.finish(&answer, for: request)
        return answer
    }
}
