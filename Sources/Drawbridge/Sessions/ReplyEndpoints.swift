import HTTPTypes
import Synchronization

/// What a session changes, over HTTP, for programs that test: its replies, its scenarios, what native does by itself.
struct ReplyEndpoints: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, let path = OwnPath(of: request) else { return nil }
        let answer: (Gateway, Request, Session) async throws -> JSON
        switch path {
        case .replies: answer = replies
        case .scenario: answer = scenario
        case .events: answer = events
        case .reset: answer = reset
        default: return nil
        }
        try gateway.authorizeTester(request)
        if path == .replies, request.path == "\(path.path)/save" {
            _ = try request.query(of: [])
            return .success(try await save(gateway, request))
        }
        guard path == .events || [path.path, path.path + "/"].contains(request.path) else {
            let also = path == .replies ? "; there is POST \(path.path)/save too" : ""
            throw HTTPError(
                .notFound,
                "nothing at \(request.path); a session is named as \(path.path)?session=NAME, and a reply as ?name=pay\(also)"
            )
        }
        _ = try request.query(of: ["session"] + Self.words(of: path))
        return .success(try await answer(gateway, request, try request.askedSession()))
    }

    /// What stands in the query besides the session.
    private static func words(of path: OwnPath) -> [String] {
        switch path {
        case .replies: ["name"]
        case .scenario: ["scenario", "on"]
        case .events: ["page"]
        default: []
        }
    }

    private func replies(_ gateway: Gateway, _ request: Request, _ session: Session) async throws -> JSON {
        switch request.method {
        case .get: break
        case .put:
            let text = try await request.body.collect(upTo: SessionReplies.mostBytes)
            do {
                let name = try name(in: request)
                try gateway.set(try LocatedJSON(parsing: text), for: name, in: session)
                gateway.noteTester("sets the reply for \(String(quoted: name))", in: session)
            } catch let fault as ReplyFault {
                throw HTTPError(.badRequest, "\(fault)")
            }
        case .delete:
            let name = try name(in: request)
            guard gateway.replyBook.replies(of: session)[ReplyNames.key(name)] != nil else {
                throw HTTPError(
                    .notFound,
                    "session \(session.name) has set no reply for \(name.cut(to: 40)); GET \(request.path) lists its replies"
                )
            }
            try gateway.set(nil, for: name, in: session)
            gateway.noteTester("takes back the reply for \(String(quoted: name))", in: session)
        default: throw notAllowed(request, "GET, PUT, DELETE")
        }
        return .object(gateway.replyBook.replies(of: session))
    }

    /// Writes a reply into the file that was named or found, which is read again at once.
    private func save(_ gateway: Gateway, _ request: Request) async throws -> JSON {
        guard request.method == .post else { throw notAllowed(request, "POST") }
        let keeper = gateway.replyKeeper.withLock { $0 }
        // A program that can write the file decides what the gateway says after its next start. So whoever starts the
        // gateway has to allow that; a person with the inspector sees what is written.
        guard let keeper, request.isOfInspector || keeper.isForPrograms else {
            throw HTTPError(
                .forbidden,
                keeper == nil
                    ? "nobody here writes files; the command does"
                    : "programs write no file unless it is started with --save"
            )
        }
        let example = #"send {"name": "pay", "reply": {"code": 0}}"#
        do {
            let body = try LocatedJSON(
                parsing: try await request.body.collect(upTo: SessionReplies.mostBytes))
            try request.checkMembers(["name", "reply"])
            guard let members = body.members, let reply = members.first(where: { $0.name == "reply" })?.value,
                let name = members.first(where: { $0.name == "name" })?.value.json.stringValue, !name.isEmpty
            else { throw HTTPError(.badRequest, example) }
            var names = ReplyNames()
            try names.set(reply, for: name, trust: .little)
            let place = try await keeper.keep(reply.json, for: name)
            return ["file": .string(place.file), "line": .number(.init(place.line))]
        } catch let fault as ReplyFault {
            throw HTTPError(.badRequest, "\(fault)")
        }
    }

    private func name(in request: Request) throws -> String {
        let name = request.query["name"] ?? ""
        guard RoutePattern.isPattern(name) else {
            throw HTTPError(
                .badRequest,
                "name: * stands for the rest of a name, and so only at its end; name the parts before it: :name"
            )
        }
        guard ReplyNames.key(name).contains(where: { !$0.isWhitespace }) else {
            throw HTTPError(.badRequest, "name: say which call is answered, such as \(request.path)?name=pay")
        }
        return name
    }

    private func scenario(_ gateway: Gateway, _ request: Request, _ session: Session) async throws -> JSON {
        switch request.method {
        case .get: break
        case .put:
            let input: Switch
            try request.checkMembers(["scenario", "on"])
            do {
                input = try await request.input(as: Switch.self)
            } catch let error as HTTPError {
                throw HTTPError(
                    error.status,
                    #"\#(error.message); send {"scenario": "offline"}, and "on": false to switch it off"#)
            }
            do {
                try gateway.turn(input.scenario, on: input.on ?? true, in: session)
            } catch {
                throw HTTPError(.notFound, "\(error)")
            }
        default: throw notAllowed(request, "GET, PUT")
        }
        return [
            "on": .array(gateway.replyBook.scenarios(in: session).map(JSON.string)),
            "scenarios": .array(gateway.replyBook.scenarioNames.map(JSON.string)),
        ]
    }

    private struct Switch: Decodable, Sendable {
        var scenario: String
        var on: Bool?
    }

    private func events(_ gateway: Gateway, _ request: Request, _ session: Session) async throws -> JSON {
        let path = OwnPath.events.path
        let rest = request.path.dropFirst(path.count)
        switch (rest.isEmpty, request.method) {
        case (true, .get): return .array(gateway.replyBook.events.keys.sorted().map(JSON.string))
        case (false, .post):
            let name = Percent.decode(rest.dropFirst().utf8) ?? String(rest.dropFirst())
            let page = try request.query["page"].map { try gateway.page(beginning: $0) }
            gateway.noteTester("plays the event \(String(quoted: name))", in: session)
            do {
                try await gateway.play(event: name, on: page, in: session)
            } catch let error as PageError {
                throw HTTPError(error)
            } catch let error as ReplySteps.TooMuch {
                throw HTTPError(.conflict, "\(name): \(error)")
            } catch let error as ReplySteps.NoPage {
                throw HTTPError(.conflict, "\(error)")
            } catch let error as NoScenario {
                throw HTTPError(.conflict, "\(error)")
            } catch is CancellationError {
                throw HTTPError(.gone, "\(name) was ended by a reset, or the gateway stops")
            }
            return .null
        default: throw notAllowed(request, rest.isEmpty ? "GET" : "POST")
        }
    }

    private func reset(_ gateway: Gateway, _ request: Request, _ session: Session) async throws -> JSON {
        guard request.method == .post else { throw notAllowed(request, "POST") }
        gateway.reset(session)
        gateway.noteTester("resets what was changed", in: session)
        return .null
    }

    private func notAllowed(_ request: Request, _ methods: String) -> HTTPError {
        HTTPError(
            .methodNotAllowed, "\(request.path) takes \(methods), and not \(request.method)",
            headers: [.allow: methods])
    }
}

extension Request {
    /// The session that a program asks about, by `?session=` or by its header.
    ///
    /// - Throws: a 400 for what is no name of a session: a test that misspells it would change that of others.
    func askedSession() throws(HTTPError) -> Session {
        guard let name = query["session"] ?? headers.value(.session) else { return .usual }
        if let session = Session(name) { return session }
        throw HTTPError(
            .badRequest,
            "session: the name of a session has 1 to 64 of A-Z, a-z, 0-9, ., _ and -, and is not \(name.cut(to: 80))"
        )
    }
}

extension Response {
    /// An answer of the tester's API.
    static func success(_ value: JSON) -> Response {
        var response = Response(bytes: Envelope.success(value.bytes), contentType: "application/json")
        response.addSafety()
        return response
    }
}

extension Page {
    /// An answer of the tester's API, with the page that it is about.
    func success(_ value: JSON) -> Response {
        var members: JSON.Object = ["code": 200]
        if !value.isNull { members["data"] = value }
        members["message"] = ""
        members["page"] = ["id": .string(id), "url": .string(url), "title": .string(title)]
        var response = Response(bytes: JSON.object(members).bytes, contentType: "application/json")
        response.addSafety()
        return response
    }
}
