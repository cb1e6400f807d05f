import HTTPTypes
import Synchronization

/// Pages over HTTP, for testers with curl: who is there, call one, run a script in it.
///
/// They take the tester's token, which the banner prints and no page knows.
struct TesterEndpoints: Responder {
    /// What can be done to a page.
    enum Verb: String, CaseIterable {
        case call, send, evaluate, emit

        /// What a tester does, for the log.
        fileprivate var words: String {
            switch self {
            case .call: "calls"
            case .send: "sends"
            case .evaluate: "runs"
            case .emit: "emits"
            }
        }
    }

    private static let prefix = OwnPath.pages.path
    private static let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")

    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, gateway.pageRuntime != nil,
            OwnPath(of: request) == .pages
        else { return nil }
        try gateway.authorizeTester(request)
        let parts = request.path.dropFirst(Self.prefix.count).split(separator: "/").map(String.init)
        guard let id = parts.first, parts.count <= 2 else {
            guard parts.isEmpty else { throw Self.nothing(at: request) }
            try request.allow([.get])
            let session = try request.query(of: ["session"])["session"].map { _ in try request.askedSession()
            }
            let pages = gateway.pages.all.filter { session == nil || $0.session == session }
            return .success(.array(pages.map(Self.describe)))
        }
        try request.allow([parts.count == 1 ? .get : .post])
        let isLatest = id == Self.latest
        let page = isLatest ? try latest(request, gateway) : try gateway.page(beginning: id)
        guard parts.count == 2 else { return .success(Self.describe(page)) }
        guard let verb = Verb(rawValue: parts[1]) else {
            throw HTTPError(.notFound, "a page takes \(Self.verbs), and not \(parts[1].cut(to: 40))")
        }
        if isLatest, verb == .evaluate { try Self.checkIsAlone(page, gateway) }
        let value = try await act(verb, on: page, request, gateway)
        // Who names no page hears which one it was.
        return isLatest ? page.success(value) : .success(value)
    }

    private static func nothing(at request: Request) -> HTTPError {
        HTTPError(
            .notFound,
            """
            nothing at \(request.path); there are GET \(prefix), GET \(prefix)/ID and POST \(prefix)/ID/ with one of \(verbs), where ID is \
            the beginning of an id, or \(latest)
            """)
    }

    // MARK: The last page

    private static let latest = "latest"

    /// The page of the asking session that was opened last, by somebody on this machine.
    private func latest(_ request: Request, _ gateway: Gateway) throws(HTTPError) -> Page {
        let session = try request.askedSession()
        let pages = Self.open(in: session, gateway)
        if let page = pages.first(where: { $0.presence == .here }) ?? pages.first { return page }
        throw HTTPError(
            .notFound,
            "no page of session \(session.name) is open on this machine; GET \(Self.prefix) lists all that there are"
        )
    }

    private static func open(in session: Session, _ gateway: Gateway) -> [Page] {
        gateway.pages.all.filter { page in
            page.isOpen && page.session == session
                && gateway.access.isFromThisMachine(Request(page.head, remoteAddress: page.remoteAddress))
        }
    }

    /// A script does what it likes to a page, so it is said for which one it is where there are several.
    private static func checkIsAlone(_ page: Page, _ gateway: Gateway) throws(HTTPError) {
        let pages = open(in: page.session, gateway)
        guard pages.count > 1 else { return }
        throw HTTPError(
            .conflict,
            "\(pages.count) pages of session \(page.session.name) are open; say by its id in which one the script runs",
            data: .array(pages.map(describe)))
    }

    // MARK: Verbs

    private func act(
        _ verb: Verb, on page: Page, _ request: Request, _ gateway: Gateway
    ) async throws -> JSON {
        let words = ["name", "data", "script", "event", "by", "seconds"]
        _ = try request.query(of: words + ["session"])
        try request.checkMembers(words)
        let input = try await request.input(as: Input.self)
        if let seconds = input.seconds, !(0...3600).contains(seconds) {
            throw HTTPError(.badRequest, "seconds: it is a number up to 3600")
        }
        gateway.noteTester(
            "\(verb.words) \(input.subject(of: verb)), page \(page.id.prefix(8)) at \(page.path)")
        let deadline = input.seconds.map { Duration.seconds($0) } ?? Page.usualDeadline
        do {
            switch verb {
            case .call:
                return try await page.call(
                    try Self.given(input.name, "name"), input.data ?? .null, by: try input.bridge(of: page),
                    deadline: deadline)
            case .send:
                try page.send(
                    try Self.given(input.name, "name"), input.data ?? .null, by: try input.bridge(of: page))
            case .evaluate:
                return try await page.evaluate(try Self.given(input.script, "script"), deadline: deadline)
            case .emit:
                try page.emit(try Self.given(input.event, "event"), input.data ?? .null)
            }
            return .null
        } catch let error as PageError {
            throw HTTPError(error)
        }
    }

    private static func given(_ text: String?, _ name: String) throws -> String {
        guard let text else { throw HTTPError(.badRequest, "\(name): it is needed, as a text") }
        return text
    }

    static func describe(_ page: Page) -> JSON {
        let (presence, since, isHidden) = page.state.withLock { ($0.presence, $0.since, $0.isHidden) }
        return [
            "id": .string(page.id), "state": .string(presence.rawValue), "since": .string(since.timestamp),
            "hidden": .bool(isHidden), "came": .string(page.came.timestamp), "url": .string(page.url),
            "title": .string(page.title),
            "session": .string(page.session.name),
            "missed": .array(page.state.withLock { $0.missed.map { .string($0.text) } }),
            "bridges": .array(page.bridges.map(\.rawValue).sorted().map(JSON.string)),
            "userAgent": page.userAgent.map(JSON.string) ?? .null,
            "remoteAddress": page.remoteAddress.map(JSON.string) ?? .null,
        ]
    }

    private struct Input: Decodable, Sendable {
        var name: String?
        var data: JSON?
        var script: String?
        var event: String?
        var by: String?
        var seconds: Double?

        /// What a verb is about, for the log: of a script its length alone, since it may hold secrets.
        func subject(of verb: Verb) -> String {
            switch verb {
            case .call, .send: String(quoted: name ?? "")
            case .evaluate: "a script of \((script ?? "").utf8.count) bytes"
            case .emit: String(quoted: event ?? "")
            }
        }

        /// By which native is to call; a page may speak others than are known.
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

extension Gateway {
    /// The page whose id begins so.
    ///
    /// - Throws: a 404 where there is none, a 409 where there are several.
    func page(beginning id: String) throws(HTTPError) -> Page {
        let fitting = pages.all.filter { $0.id.hasPrefix(id) }
        guard let page = fitting.first else {
            throw HTTPError(
                .notFound,
                "there is no page \(id.cut(to: 40)); GET \(OwnPath.pages.path) lists those that there are")
        }
        guard fitting.count == 1 else {
            throw HTTPError(
                .conflict, "\(fitting.count) pages begin with \(id.cut(to: 40)); send more of the id",
                data: .array(fitting.map(TesterEndpoints.describe)))
        }
        return page
    }
}

extension HTTPError {
    /// What a caller hears when a page did not answer.
    init(_ error: PageError) {
        switch error.reason {
        case .deadline: self.init(.gatewayTimeout, error.message)
        case .failed(let code): self.init(.badGateway, error.message, code: code)
        case .closed, .frozen, .lost: self.init(.gone, error.message)
        case .waiting: self.init(.conflict, error.message)
        case .full, .stopped: self.init(.serviceUnavailable, error.message)
        }
    }
}
