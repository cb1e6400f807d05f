import HTTPTypes

/// What a session changes, over HTTP, for programs that test: its replies, its scenarios, its events.
enum RepliesAPI {
    // MARK: Replies

    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        all(gateway, try session(request, ["name"]))
    }

    static func set(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["name"])
        let text = try await request.body.collect(upTo: SessionReplies.mostBytes)
        do {
            let name = try name(in: request)
            try gateway.set(try LocatedJSON(parsing: text), for: name, in: session)
            gateway.note(request, "sets the reply for \(String(quoted: name))", in: session)
        } catch let fault as ReplyFault {
            throw HTTPError(.badRequest, "\(fault)")
        }
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

    /// The session that is asked about; throws where the query has other words than that and these.
    private static func session(_ request: Request, _ words: [String] = []) throws(HTTPError) -> Session {
        _ = try request.query(of: ["session"] + words)
        return try request.askedSession()
    }

    /// Writes a reply into the file that was named or found, which is reloaded at once.
    static func save(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let keeper = try gateway.keeper(for: request)
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
            return .success(["file": .string(place.file), "line": .number(.init(place.line))])
        } catch let fault as ReplyFault {
            throw HTTPError(.badRequest, "\(fault)")
        }
    }

    private static func name(in request: Request) throws -> String {
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

    // MARK: Scenarios

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

    // MARK: What native does by itself

    static func events(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try session(request, ["page"])
        return .success(.array(gateway.replyBook.events.keys.sorted().map(JSON.string)))
    }

    static func play(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request, ["page"])
        let written = request.parameters["event"] ?? ""
        let name = Percent.decode(Substring(written).utf8) ?? written
        let named = request.query["page"].flatMap { $0 == "latest" ? nil : $0 }
        let page = try named.map { try gateway.page(named: $0, for: request) }
        gateway.note(request, "plays the event \(String(quoted: name))", in: session)
        do {
            try await gateway.play(event: name, on: page, in: session)
        } catch let error as PageError {
            throw HTTPError(error)
        } catch let error as ReplySteps.Unheard {
            throw HTTPError(.conflict, "\(error)", data: error.data)
        } catch let error as ReplySteps.Fault {
            throw HTTPError(.conflict, "\(error)")
        } catch let error as NoScenario {
            throw HTTPError(.conflict, "\(error)")
        } catch is CancellationError {
            throw HTTPError(.gone, "\(name) was ended by a reset, or the gateway stops")
        }
        return .success(.null)
    }

    // MARK: All of it

    static func reset(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try session(request)
        gateway.reset(session)
        gateway.note(request, "resets what was changed", in: session)
        return .success(.null)
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
    /// Bytes of the gateway's own, by default JSON: not cached, and for no foreign page.
    static func guarded(_ bytes: [UInt8], _ type: String = "application/json") -> Response {
        var response = Response(bytes: bytes, contentType: type)
        response.addSafety()
        return response
    }

    /// An answer of the tester's API.
    static func success(_ value: JSON) -> Response { .guarded(UsualEnvelope.success(value.bytes)) }
}

extension Page {
    /// An answer of the tester's API, with the page that it is about.
    func success(_ value: JSON) -> Response {
        var members: JSON.Object = ["code": 200]
        if !value.isNull { members["data"] = value }
        members["message"] = ""
        members["page"] = ["id": .string(id), "url": .string(url), "title": .string(title)]
        return .guarded(JSON.object(members).bytes)
    }
}
