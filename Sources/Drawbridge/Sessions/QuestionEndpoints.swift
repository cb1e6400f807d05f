import HTTPTypes

/// The questions that wait for an answer, over HTTP, for programs that answer in a person's place.
struct QuestionEndpoints: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, OwnPath(of: request) == .questions else { return nil }
        try gateway.authorizeTester(request)
        let path = OwnPath.questions.path
        let session = try request.askedSession()
        let parts = request.path.dropFirst(path.count).split(separator: "/").map(String.init)
        _ = try request.query(of: ["session", "choice"])
        switch parts.count {
        case 0:
            try request.allow([.get])
            return .success(.array(gateway.questions.watch(session).map(Self.describe)))
        case 1:
            try request.allow([.post])
            try request.checkMembers(["choice", "fields"])
            guard let number = Int(parts[0]) else {
                throw HTTPError(.notFound, "a question has a number; GET \(path) lists those that wait")
            }
            let input = try await request.input(as: Input.self)
            guard let answer = input.choice ?? input.fields else {
                throw HTTPError(
                    .badRequest, #"an answer is {"choice": "ok"}, or {"fields": {"user": "ann"}}"#)
            }
            do {
                try gateway.questions.answer(
                    number, answer, in: session, by: request.isOfInspector ? "inspector" : "program")
                gateway.noteTester("answers question \(number)", in: session)
            } catch let error as InvalidAnswer {
                throw HTTPError(.badRequest, "\(error)")
            }
            return .success(.null)
        default:
            throw HTTPError(
                .notFound, "nothing at \(request.path); there are GET \(path) and POST \(path)/NUMBER")
        }
    }

    private struct Input: Decodable, Sendable {
        var choice: JSON?
        var fields: JSON?
    }

    static func describe(_ waiting: Questions.Waiting) -> JSON {
        let question = waiting.question
        var members: JSON.Object = [
            "number": .number(JSON.Number(waiting.number)), "name": .string(question.name),
            "title": .string(question.title), "message": .string(question.message),
            "page": waiting.page.map(JSON.string) ?? .null, "path": waiting.path.map(JSON.string) ?? .null,
            "session": .string(waiting.session.name),
        ]
        switch question.kind {
        case .notice: break
        case .choice(let choices): members["choices"] = .array(choices.map(JSON.string))
        case .form(let fields): members["fields"] = .array(fields.map { .string($0.name) })
        }
        return .object(members)
    }
}
