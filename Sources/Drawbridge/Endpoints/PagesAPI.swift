import HTTPTypes

/// Pages over HTTP, for testers with curl: who is there, call one, run a script in it.
enum PagesAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let session = try request.query(of: ["session"])["session"].map { _ in try request.askedSession() }
        let pages = gateway.pages.open.filter { session == nil || $0.session == session }
        return .success(.array(pages.map(\.described)))
    }

    static func page(_ gateway: Gateway, _ request: Request) async throws -> Response {
        .success(try asked(gateway, request).page.described)
    }

    /// The page that is asked for, and whether it is asked for as `latest` and not by its id.
    private static func asked(
        _ gateway: Gateway, _ request: Request
    ) throws(HTTPError) -> (page: Page, isLatest: Bool) {
        let id = request.parameters["page"] ?? ""
        return id == "latest"
            ? (try latest(request, gateway), true) : (try gateway.page(beginning: id), false)
    }

    // MARK: The last page

    /// The page of the asking session that was opened last, by somebody on this machine; by anybody where nobody is
    /// taken for that.
    private static func latest(_ request: Request, _ gateway: Gateway) throws(HTTPError) -> Page {
        let session = try request.askedSession()
        let pages = open(in: session, gateway)
        if let page = pages.first(where: { $0.presence == .here }) ?? pages.first { return page }
        throw HTTPError(
            .notFound,
            "no page of session \(session.name) is open on this machine; GET \(OwnPath.pages.path) lists all that there are"
        )
    }

    private static func open(in session: Session, _ gateway: Gateway) -> [Page] {
        gateway.pages.open.filter { page in
            page.isOpen && page.session == session
                && (gateway.access.trust == .nobody
                    || gateway.access.isFromThisMachine(Request(page.head, remoteAddress: page.remoteAddress)))
        }
    }

    /// Throws where several pages are open: a script may do anything to a page, so its page must be named by its id.
    private static func checkIsAlone(_ page: Page, _ gateway: Gateway) throws(HTTPError) {
        let pages = open(in: page.session, gateway)
        guard pages.count > 1 else { return }
        throw HTTPError(
            .conflict,
            "\(pages.count) pages of session \(page.session.name) are open; say by its id in which one the script runs",
            data: .array(pages.map(\.described)))
    }

    // MARK: Verbs

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
            try await hear(name, page, input) { try $0.deliver(name, input.data ?? .null, by: bridge) }
            return .null
        }
    }

    static func evaluate(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request, isForOneAlone: true) { page, input in
            let script = try given(input.script, "script")
            // Its length alone: it may hold secrets.
            gateway.note(request, "runs a script of \(script.utf8.count) bytes, \(page.inLog)")
            return try await page.evaluate(script, deadline: input.deadline)
        }
    }

    static func emit(_ gateway: Gateway, _ request: Request) async throws -> Response {
        try await act(gateway, request) { page, input in
            let event = try given(input.event, "event")
            gateway.note(request, "emits \(String(quoted: event)), \(page.inLog)")
            try await hear(event, page, input) { try $0.deliver(event: event, input.data ?? .null) }
            return .null
        }
    }

    /// Sends something, and waits until the page has received it.
    ///
    /// - Throws: a 409 that says why the page has not.
    private static func hear(
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

    /// - Parameter isForOneAlone: whether the page must be named by its id where several are open.
    private static func act(
        _ gateway: Gateway, _ request: Request, isForOneAlone: Bool = false,
        _ deed: (Page, Input) async throws -> JSON
    ) async throws -> Response {
        let (page, isLatest) = try asked(gateway, request)
        if isLatest, isForOneAlone { try checkIsAlone(page, gateway) }
        let words = ["name", "data", "script", "event", "by", "seconds"]
        _ = try request.query(of: words + ["session"])
        try request.checkMembers(words)
        let input = try await request.input(as: Input.self)
        if let seconds = input.seconds, !(0...3600).contains(seconds) {
            throw HTTPError(.badRequest, "seconds: it is a number up to 3600")
        }
        let value: JSON
        do {
            value = try await deed(page, input)
        } catch let error as PageError {
            throw HTTPError(error)
        }
        // A program that asks for `latest` is told which page that was.
        return isLatest ? page.success(value) : .success(value)
    }

    private static func given(_ text: String?, _ name: String) throws -> String {
        guard let text else { throw HTTPError(.badRequest, "\(name): it is needed, as a text") }
        return text
    }

    private struct Input: Decodable, Sendable {
        var name: String?
        var data: JSON?
        var script: String?
        var event: String?
        var by: String?
        var seconds: Double?

        var deadline: Duration { seconds.map { .seconds($0) } ?? Page.usualDeadline }

        /// The bridge by which native is to call; a page may have others than the built-in ones.
        func bridge(of page: Page) throws -> Page.Bridge? {
            guard let by else { return nil }
            let spoken = Page.Bridge.known + page.bridges.subtracting(Page.Bridge.known)
            guard let bridge = spoken.first(where: { $0.rawValue == by }) else {
                let names = spoken.map(\.rawValue).joined(separator: ", ")
                throw HTTPError(.badRequest, "by: the page speaks one of \(names)")
            }
            return bridge
        }
    }
}

extension Page {
    fileprivate var inLog: String { "page \(id.prefix(8)) at \(path)" }
}

extension Gateway {
    /// The page whose id begins so.
    ///
    /// - Throws: a 404 where there is none, a 409 where there are several.
    func page(beginning id: String) throws(HTTPError) -> Page {
        let fitting = pages.open.filter { $0.id.hasPrefix(id) }
        guard let page = fitting.first else {
            throw HTTPError(
                .notFound,
                "there is no page \(id.cut(to: 40)); GET \(OwnPath.pages.path) lists those that there are")
        }
        guard fitting.count == 1 else {
            throw HTTPError(
                .conflict, "\(fitting.count) pages begin with \(id.cut(to: 40)); send more of the id",
                data: .array(fitting.map(\.described)))
        }
        return page
    }
}
