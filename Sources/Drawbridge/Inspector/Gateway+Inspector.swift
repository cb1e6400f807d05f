// Answers the inspector: the endpoints of the tester's API, and the state that it shows while it is open.
extension Gateway {
    /// Answers a request of the inspector, whose secret was checked before.
    ///
    /// - Parameter request: a request to the inspector's own listener, which has checked it.
    package func respond(toInspector request: Request) async -> Response {
        var request = request
        request.answerer = self
        request.isOfInspector = true
        do {
            guard OwnPath(of: request)?.isForTesters == true else {
                throw HTTPError(
                    .notFound,
                    "nothing at \(request.path.cut(to: 100)); the inspector uses the tester's API only")
            }
            return try await answerOwn(request, self)
        } catch {
            return Self.refusal(known(error, in: "\(request.method) \(request.path)", request))
        }
    }

    func present(_ topic: Journal.Topic) async -> JSON {
        switch topic {
        case .gateway:
            let address = program.ownAddress.map { JSON.string("\($0)/") }
            let builtIns = program.builtIns.sorted()
            return ["page": address ?? .null, "builtIns": .array(builtIns.map(JSON.string))]
        // Only the 200 newest pages.
        case .pages: return .array(pages.all.prefix(200).map(\.described))
        case .questions: return .array(questions.waiting.map(\.described))
        case .replies:
            var set = JSON.Object()
            for (session, changed) in replyBook.changed { set[session.name] = .object(changed.replies) }
            let keeper = program.replyKeeper
            return [
                "set": .object(set), "file": await keeper?.file.map(JSON.string) ?? .null,
                "problem": await keeper?.problem.map(JSON.string) ?? .null,
                "saves": .array(await keeper?.saves ?? []),
                "answered": .array(answeredSince().map { .number(.init($0)) }),
            ]
        case .scenarios:
            var on: JSON.Object = [Session.usual.name: .array(replyBook.scenarios().map(JSON.string))]
            for (session, changed) in replyBook.changed {
                on[session.name] = .array(changed.scenarios.map(JSON.string))
            }
            return ["names": .array(replyBook.scenarioNames.map(JSON.string)), "on": .object(on)]
        case .sessions:
            let all = Set(replyBook.changed.keys).union(pages.all.map(\.session)).union([.usual])
            return .array(all.map(\.name).sorted().map(JSON.string))
        }
    }
}
