import HTTPGrammar
import HTTPTypes

/// The tester's API for questions: lists those that wait, and answers one instead of a person.
enum QuestionsAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: ["session", "choice"])
        let waiting = gateway.questions.watch(try request.askedSession())
        return .success(.array(waiting.map(\.described)))
    }

    static func answer(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try request.askedSession()
        _ = try request.query(of: ["session", "choice"])
        try request.checkMembers(["choice", "fields"])
        guard let number = request.parameters["number"].flatMap({ Int(plain: $0) }) else {
            throw HTTPError(
                .notFound, "a question has a number; GET \(OwnPath.questions.path) lists those that wait")
        }
        let input = try await request.input(as: Input.self)
        guard let answer = input.choice ?? input.fields else {
            throw HTTPError(
                .badRequest, #"an answer is {"choice": "ok"}, or {"fields": {"user": "ann"}}"#)
        }
        try gateway.questions.answer(number, answer, in: session, by: request.teller)
        gateway.note(request, "answers question \(number)", in: session)
        return .success(.null)
    }

    private struct Input: Decodable, Sendable {
        var choice: JSON?
        var fields: JSON?
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
