/// The tester's API for what a session can change: its replies, its scenarios, its events.
enum RepliesAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        all(gateway, try session(request, ["name"]))
    }

    static func set(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["name"])
        let text = try await request.body.collect(upTo: SessionReplies.mostBytes)
        let name = try name(in: request)
        try gateway.set(try LocatedJSON(parsing: text), for: name, in: session)
        gateway.note(request, "sets the reply for \(String(quoted: name))", in: session)
        return all(gateway, session)
    }

    static func takeBack(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["name"])
        let name = try name(in: request)
        guard gateway.replyBook.replies(of: session)[ReplyNames.key(name)] != nil else {
            throw HTTPError(
                .notFound,
                "session \(session.name) has set no reply for \(name.cut(to: 40)); GET \(request.path) lists its replies"
            )
        }
        try gateway.set(nil, for: name, in: session)
        gateway.note(request, "takes back the reply for \(String(quoted: name))", in: session)
        return all(gateway, session)
    }

    private static func all(_ gateway: Gateway, _ session: Session) -> Response {
        .success(.object(gateway.replyBook.replies(of: session)))
    }

    /// The session of the request; throws if the query has items other than `session` and these.
    static func session(_ request: Request, _ words: [String] = []) throws(HTTPError) -> Session {
        _ = try request.query(of: ["session"] + words)
        return try request.askedSession()
    }

    /// The mock that answers a name now, and the mock in a file that a save would change.
    static func standing(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["name", "page"])
        let found = gateway.replyBook.standing(
            try name(in: request), in: session, ofPageAt: request.query["page"])
        return .success(["first": found.first?.json ?? .null, "written": found.written?.json ?? .null])
    }

    /// Writes a mock into a file, which is reloaded at once: into the mock of the same name, or else as a new one.
    static func save(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["page"])
        let keeper = try gateway.keeper(for: request)
        let body = try LocatedJSON(parsing: await request.body.collect(upTo: SessionReplies.mostBytes))
        try request.checkMembers(["name", "reply", "when", "was"])
        func member(_ name: String) -> LocatedJSON? { body.members?.first { $0.name == name }?.value }
        guard let reply = member("reply"), let name = member("name")?.json.stringValue, !name.isEmpty else {
            throw HTTPError(.badRequest, #"send {"name": "pay", "reply": {"code": 0}}"#)
        }
        var names = ReplyNames()
        try names.set(reply, for: name, trust: .little)
        var mock = reply.json
        let when = member("when")?.json
        if let when {
            mock = .object(
                JSON.Object([("$when", when)] + Recording.words(of: mock).map { ($0.key, $0.value) }))
            let cases = JSON.object(["$cases": [mock]])
            try names.set(LocatedJSON(parsing: cases.bytes), for: name, trust: .little)
        }
        let saved = try await keeper.keep(
            (name, mock, when != nil, member("was")?.json, session, request.query["page"], request.teller))
        var members: JSON.Object = ["file": .string(saved.file), "line": .number(.init(saved.line))]
        members["save"] = saved.save.map { JSON.number(.init($0)) }
        return .success(.object(members))
    }

    static func saves(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        return .success(.array(try await gateway.keeper().saves))
    }

    /// Undoes a save; this writes the file too, so a program may do it only if it may save.
    static func undo(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let keeper = try gateway.keeper(for: request)
        let number = try await request.bodyAsJSON(["save"])?["save"]
        guard number == nil || number?.numberValue?.intValue != nil else {
            throw HTTPError(.badRequest, #"save: the number of a save, {"save": 3}; without it, the last"#)
        }
        let undone = try await keeper.undo(number?.numberValue?.intValue)
        return .success([
            "file": .string(undone.file), "names": .array(undone.names.map(JSON.string)),
            "kept": .array(undone.kept.map(JSON.string)),
        ])
    }

    private static func name(in request: Request) throws -> String {
        let name = request.query["name"] ?? ""
        guard RoutePattern.isPattern(name) else {
            throw HTTPError(
                .badRequest,
                "name: * stands for the rest of a name, so it must be the last part; write :name for a part before it"
            )
        }
        if ReplyNames.key(name).contains(where: { !$0.isWhitespace }) { return name }
        throw HTTPError(.badRequest, "name: say which call is answered, such as \(request.path)?name=pay")
    }

    static func scenarios(_ gateway: Gateway, _ request: Request) async throws -> Response {
        scenarios(gateway, in: try session(request, ["scenario", "on"]))
    }

    static func turn(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["scenario", "on"])
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
            try gateway.turn(input.scenario, on: input.on ?? true, in: session, isByTest: true)
        } catch {
            throw HTTPError(.notFound, "\(error)")
        }
        return scenarios(gateway, in: session)
    }

    private static func scenarios(_ gateway: Gateway, in session: Session) -> Response {
        .success([
            "on": .array(gateway.replyBook.scenarios(in: session).map(JSON.string)),
            "scenarios": .array(gateway.replyBook.scenarioNames.map(JSON.string)),
        ])
    }

    private struct Switch: Decodable, Sendable {
        var scenario: String
        var on: Bool?
    }

    static func events(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try session(request, ["page"])
        return .success(.array(gateway.replyBook.events.keys.sorted().map(JSON.string)))
    }

    static func play(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["page"])
        let name = request.parameters["event"] ?? ""
        let named = request.query["page"].flatMap { $0 == "latest" ? nil : $0 }
        let page = try named.map { try gateway.page(named: $0, for: request) }
        gateway.note(request, "plays the event \(String(quoted: name))", in: session)
        do {
            try await gateway.play(event: name, on: page, in: session)
        } catch let error as ReplySteps.Unheard {
            throw HTTPError(.conflict, "\(error)", data: error.data)
        } catch let error where error is ReplySteps.Fault || error is NoScenario {
            throw HTTPError(.conflict, "\(error)")
        } catch is CancellationError {
            throw HTTPError(.gone, "\(name) was cancelled by a reset, or the gateway is stopping")
        }
        return .success(.null)
    }

    static func reset(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request)
        gateway.reset(session)
        gateway.note(request, "resets what was changed", in: session)
        return .success(.null)
    }
}

extension Request {
    /// The session that a program names, by `?session=` or by its header.
    ///
    /// - Throws: a 400 for an invalid name, since a misspelt one would change the session of other tests.
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
    /// A response of the gateway itself, by default JSON; it is not cached, and foreign pages cannot use it.
    static func guarded(_ bytes: [UInt8], _ type: String = "application/json") -> Response {
        var response = Response(bytes: bytes, contentType: type)
        response.addSafety()
        return response
    }

    static func success(_ value: JSON) -> Response { .guarded(UsualEnvelope.success(value.bytes)) }
}

extension Page {
    func success(_ value: JSON) -> Response {
        var members: JSON.Object = ["code": 200]
        if !value.isNull { members["data"] = value }
        members["message"] = ""
        members["page"] = ["id": .string(id), "url": .string(url), "title": .string(title)]
        return .guarded(JSON.object(members).bytes)
    }
}
