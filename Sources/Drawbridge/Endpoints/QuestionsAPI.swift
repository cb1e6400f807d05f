/// The tester's API for questions: lists those that wait, and answers one instead of a person; says over which pages they are shown.
enum QuestionsAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try RepliesAPI.session(request, ["choice"])
        return .success(.array(gateway.questions.watch(session).map(\.described)))
    }

    /// Answers a question by its number, or the oldest of a name, for which it waits.
    static func answer(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try request.askedSession()
        let query = try RecordQuery(request, ["session", "choice", "seconds"])
        let seconds = query["seconds"] == nil ? 5 : try query.seconds(upTo: 60)
        try request.checkMembers(["choice", "fields"])
        let input = try await request.input(as: Input.self)
        guard let answer = input.choice ?? input.fields else {
            throw HTTPError(
                .badRequest, #"an answer is {"choice": "ok"}, or {"fields": {"user": "ann"}}"#)
        }
        let wanted = request.parameters["question"] ?? ""
        try await gateway.questions.answer(
            wanted, within: seconds, answer, in: session, by: request.teller)
        gateway.note(request, "answers question \(String(quoted: wanted))", in: session)
        return .success(.null)
    }

    static func ask(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try RepliesAPI.session(request, ["ask"])
        try request.checkMembers(["ask"])
        let input = try await request.input(as: Input.self)
        let asking = try RecordQuery.known(input.ask ?? "", "ask", Question.Asking.self)
        gateway.questions.ask(asking, in: session)
        gateway.note(request, "sets ask to \(asking)", in: session)
        return .success(.null)
    }

    private struct Input: Decodable, Sendable {
        var choice: JSON?
        var fields: JSON?
        var ask: String?
    }
}

extension Questions.Waiting {
    var described: JSON {
        var members = question.described
        members["number"] = .number(JSON.Number(number))
        members["call"] = call.map { .number(JSON.Number($0)) } ?? .null
        members["page"] = page.map(JSON.string) ?? .null
        members["path"] = path.map(JSON.string) ?? .null
        members["session"] = .string(session.name)
        return .object(members)
    }
}
