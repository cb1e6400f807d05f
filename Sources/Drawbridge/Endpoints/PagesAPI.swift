/// The tester's API for pages: lists them, calls one, runs a script in it.
enum PagesAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try request.query(of: ["session"])["session"].map { _ in try request.askedSession() }
        let pages = gateway.pages.all.filter { session == nil || $0.session == session }
        return .success(.array(pages.map(\.described)))
    }

    static func page(_ gateway: Gateway, _ request: Request) async throws -> Response {
        .success(try await asked(gateway, request).described)
    }

    /// The page in the path: by its id or its path, or as `latest`, for which `Gateway.meant(_:by:in:)` chooses one.
    private static func asked(
        _ gateway: Gateway, _ request: Request, with name: String? = nil, by bridge: String? = nil
    ) async throws(HTTPError) -> Page {
        let (named, session) = (request.parameters["page"] ?? "", try request.askedSession())
        if named == "latest", let page = await gateway.meant(name, by: bridge, in: session), page.isOpen {
            return page
        }
        return try gateway.page(named: named, for: request)
    }

    static func call(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request) { page, input in
            let name = try given(input.name, "name")
            gateway.note(request, "calls \(String(quoted: name)), \(page.inLog)")
            return try await page.call(
                name, input.data ?? .null, by: try input.bridge(of: page), deadline: input.deadline)
        }
    }

    static func send(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request) { page, input in
            let name = try given(input.name, "name")
            gateway.note(request, "sends \(String(quoted: name)), \(page.inLog)")
            let bridge = try input.bridge(of: page)
            try await receive(name, page, input) { try $0.deliver(name, input.data ?? .null, by: bridge) }
            return .null
        }
    }

    static func evaluate(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request) { page, input in
            let script = try given(input.script, "script")
            // Only the length is logged, since a script may contain secrets.
            gateway.note(request, "runs a script of \(script.utf8.count) bytes, \(page.inLog)")
            return try await page.evaluate(script, deadline: input.deadline)
        }
    }

    static func emit(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request) { page, input in
            let event = try given(input.event, "event")
            gateway.note(request, "emits \(String(quoted: event)), \(page.inLog)")
            try await receive(event, page, input) { try $0.deliver(event: event, input.data ?? .null) }
            return .null
        }
    }

    /// Sends a call or an event, and waits until the page has received it.
    ///
    /// - Throws: a 409 with the reason why the page has not received it.
    private static func receive(
        _ name: String, _ page: Page, _ input: Input, _ send: (Page) throws -> PendingCall
    ) async throws {
        do {
            guard page.mayHear else { throw page.presence == .frozen ? PageError.frozen : PageError.left }
            _ = try await send(page).result(within: input.seconds.map { .seconds($0) } ?? ReplySteps.patience)
        } catch let error as PageError {
            var unheard = ReplySteps.Unheard()
            unheard.add(name, by: page, error)
            throw HTTPError(.conflict, "\(unheard)", data: unheard.data)
        }
    }

    private static func act(
        _ gateway: Gateway, _ request: Request, _ action: (Page, Input) async throws -> JSON
    ) async throws -> Response {
        let words = ["name", "data", "script", "event", "by", "seconds"]
        _ = try request.query(of: words + ["session"])
        try request.checkMembers(words)
        let input = try await request.input(as: Input.self)
        if let seconds = input.seconds, !(0...3600).contains(seconds) {
            throw HTTPError(.badRequest, "seconds: must be a number up to 3600")
        }
        let page = try await asked(
            gateway, request, with: input.name ?? input.event, by: input.name == nil ? "event" : input.by)
        // A script may change a page in any way, so it must be clear in which page it runs.
        if input.script != nil, request.parameters["page"] == "latest",
            case let all = gateway.ranked(in: page.session).filter({ $0.rank == page.rank }), all.count > 1
        {
            throw HTTPError(
                .conflict,
                "\(all.count) pages of session \(page.session.name) are open; say by its id in which one the script runs",
                data: .array(all.map(\.described)))
        }
        return page.success(try await action(page, input))
    }

    private static func given(_ text: String?, _ name: String) throws -> String {
        guard let text else { throw HTTPError(.badRequest, "\(name): must be given, as a string") }
        return text
    }

    private struct Input: Decodable, Sendable {
        var name: String?
        var data: JSON?
        var script: String?
        var event: String?
        var by: String?
        var seconds: Double?

        var deadline: Duration { seconds.map { .seconds($0) } ?? .seconds(30) }

        /// The bridge by which native is to call; a page may have others than the built-in ones.
        func bridge(of page: Page) throws -> Page.Bridge? {
            guard let by else { return nil }
            let spoken = Page.Bridge.known + page.bridges.subtracting(Page.Bridge.known)
            if let bridge = spoken.first(where: { $0.rawValue == by }) { return bridge }
            let names = spoken.map(\.rawValue).joined(separator: ", ")
            throw HTTPError(.badRequest, "by: must be one of \(names)")
        }
    }
}

extension Page {
    fileprivate var inLog: String { "page \(id.prefix(8)) at \(path)" }
}

extension Gateway {
    /// The page that is named by its id, the beginning of its id, or its path.
    ///
    /// - Parameter request: names the session; without one, a path is looked up in the default session.
    /// - Throws: a 404 if there is no such page, a 409 with all of them if there are several.
    func page(named name: String, for request: Request) throws(HTTPError) -> Page {
        let session = try request.askedSession()
        let isSaid = (request.query["session"] ?? request.headers.value(.session)) != nil
        let isAny = !isSaid && name.first?.isHexDigit == true
        let all = pages.all.filter { page in
            let isAtPath = page.path == name || Percent.decode(page.path[...].utf8) == name
            return (isAtPath || page.id.hasPrefix(name)) && (isAny || page.session == session)
        }
        // A page that is closing, or in the browser's back/forward cache, may have the same path as the one that runs.
        let here = all.filter { $0.presence == .here }
        let fitting = here.isEmpty ? all : here
        guard fitting.count < 2 else {
            throw HTTPError(
                .conflict, "\(fitting.count) pages fit \(name.cut(to: 40)); name one by its whole id",
                data: .array(fitting.map(\.described)))
        }
        if let page = fitting.first { return page }
        throw HTTPError(
            .notFound,
            "there is no page\(name == "latest" ? "" : " \(name.cut(to: 40))")\(isAny ? "" : " in session \(session.name)"); GET \(OwnPath.pages.path) lists all pages"
        )
    }
}
