import HTTPTypes
import Synchronization

/// Pages over HTTP, for testers with curl: who is there, call one, run a script in it.
///
/// They take the tester's token, which the banner prints and no page knows.
struct TesterEndpoints: Responder {
    /// What can be done to a page.
    enum Verb: String, CaseIterable {
        case call, send, evaluate, emit
    }

    private static let prefix = OwnPath.pages.path
    private static let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")

    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, gateway.pageRuntime != nil,
            OwnPath(of: request) == .pages
        else { return nil }
        try gateway.authorizeTester(request)
        let parts = request.path.dropFirst(Self.prefix.count).split(separator: "/").map(String.init)
        let value: JSON
        switch (parts.count, request.method) {
        case (0, .get):
            value = .array(gateway.pages.all.map(Self.describe))
        case (1, .get):
            value = Self.describe(try gateway.page(beginning: parts[0]))
        case (2, .post):
            value = try await act(parts[1], on: try gateway.page(beginning: parts[0]), request, gateway)
        default:
            throw HTTPError(
                .notFound,
                "nothing at \(request.path); there are GET \(Self.prefix) and POST \(Self.prefix)/ID/ with one of \(Self.verbs)"
            )
        }
        return .success(value)
    }

    private func act(
        _ verb: String, on page: Page, _ request: Request, _ gateway: Gateway
    ) async throws -> JSON {
        guard let verb = Verb(rawValue: verb) else {
            throw HTTPError(.notFound, "a page takes \(Self.verbs), and not \(verb.cut(to: 40))")
        }
        let input = try await request.input(as: Input.self)
        let deadline = input.seconds.map { Duration.seconds(max(0, min($0, 3600))) } ?? Page.usualDeadline
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

    private static func describe(_ page: Page) -> JSON {
        let (presence, since) = page.state.withLock { ($0.presence, $0.since) }
        return [
            "id": .string(page.id), "state": .string(presence.rawValue), "since": .string(since.timestamp),
            "came": .string(page.came.timestamp), "url": .string(page.url), "title": .string(page.title),
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
    /// - Throws: a 404 where there is none, or several.
    func page(beginning id: String) throws(HTTPError) -> Page {
        let fitting = pages.all.filter { $0.id.hasPrefix(id) }
        guard let page = fitting.first, fitting.count == 1 else {
            throw HTTPError(
                .notFound,
                fitting.isEmpty
                    ? "there is no page \(id.cut(to: 40)); GET \(OwnPath.pages.path) lists those that there are"
                    : "\(fitting.count) pages begin with \(id.cut(to: 40)); send more of the id")
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
