import CTexts
public import Drawbridge
import HTTPTypes
import MicroHTTPD
import Synchronization

/// The inspector: a page of the gateway's own, for people, that shows what pages call, and lets them answer.
///
/// It has a listener of its own on this machine, whatever the gateway listens on, at a name that no page can know. So
/// neither a page on the gateway nor a service worker that one left on the port before can reach it. A browser comes in
/// by a link that is good once.
///
/// ```swift
/// let inspector = try Inspector(of: gateway)
/// print(inspector.drawLink())
/// ```
public final class Inspector: Sendable {
    /// `http://i-0123456789abcdef.localhost:8081`: the name is another one in every process.
    public let origin: String
    private let tickets: Tickets
    private let server: GatewayServer

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - gateway: one that keeps a journal; it may listen or not.
    ///   - port: 0 takes any that is free.
    /// - Throws: a `ListenError` that says what to do when the port cannot be had.
    public convenience init(of gateway: Gateway, port: Int = 0) throws {
        try self.init(of: gateway, port: port, url: nil, isForAll: false)
    }

    /// Listens as by ``init(of:port:)``, or for all machines, and at a name that browsers know.
    ///
    /// - Parameters:
    ///   - url: the origin by which browsers reach it; nil for a name that no page can know, at its own port.
    ///   - isForAll: whether it listens on all addresses.
    package init(of gateway: Gateway, port: Int, url: String?, isForAll: Bool) throws {
        tickets = Tickets(goodOnce: true)
        let door = InspectorDoor(to: gateway, tickets)
        // A gateway without rules, handlers and pages: all that it has is the door, which alone decides who comes in where
        // a container's port or a server in front is on the way.
        var access = AccessPolicy()
        if isForAll || url != nil { access.trust = .everybody }
        access.allow(url)
        let host = "i-\(String.random128().prefix(16)).localhost"
        let inner = Gateway(
            middleware: [door], rules: [], access: access, pageRuntime: nil, logger: gateway.logger)
        server = try GatewayServer(
            inner,
            ServerConfiguration(
                host: isForAll ? "0.0.0.0" : "127.0.0.1", port: port, loops: 1, logsRequests: false))
        origin = url ?? "http://\(host):\(server.address.port)"
        door.origin.withLock { [origin] in $0 = origin }
        gateway.configure { $0.suggestions.insert(.inspector) }
    }

    /// A link that lets one browser in, once, within ten minutes.
    public func drawLink() -> String { drawLink {} }

    /// A link as by ``drawLink()``, with a callback.
    ///
    /// - Parameter whenUsed: called when the link was used, on any thread.
    package func drawLink(whenUsed: @escaping @Sendable () -> Void) -> String {
        "\(origin)/#\(tickets.draw(whenUsed: whenUsed))"
    }

    /// Takes no more requests.
    public func stop() async { await server.stop() }
}

/// Serves the inspector's page, and its data to requests that have the secret.
///
/// The page itself is not secret, but the data is: what is not sent by the inspector's own origin is refused before
/// the secret is looked at.
final class InspectorDoor: Middleware {
    /// The files of the page, the folder `Page`, by their names.
    static let files = Texts(inspector_texts()).files

    private let gateway: Gateway
    private let tickets: Tickets
    /// Kept by each tab that came in by a ticket: another secret than the tester's and the pages'.
    private let secret = TesterToken()
    /// By which it is reached, set when it listens; until then no request fits.
    let origin = Mutex("")

    init(to gateway: Gateway, _ tickets: Tickets) {
        self.gateway = gateway
        self.tickets = tickets
    }

    func handle(_ request: Request, next: Next) async -> Response {
        var response: Response
        do {
            response = try await respond(to: request)
        } catch let error as HTTPError {
            response = Gateway.refusal(error)
        } catch {
            response = Gateway.refusal(HTTPError(.internalServerError, "the inspector failed; reload it"))
        }
        for (name, value) in Self.fields { response.headers[name] = value }
        return response
    }

    private func respond(to request: Request) async throws -> Response {
        let own = origin.withLock { $0 }
        guard !request.isAbsoluteForm, let authority = request.authority,
            own.hasSuffix("://\(authority)"), [nil, own].contains(request.headers[.origin])
        else { throw Self.foreign }
        let path = request.path
        if path == "/" {
            // The page is only for navigation in a tab: another page cannot put it into a frame, or fetch it.
            guard [nil, "navigate"].contains(request.headers[.secFetchMode]),
                [nil, "document"].contains(request.headers[.secFetchDest])
            else { throw Self.foreign }
            return try asset("index.html", request)
        }
        guard [nil, "same-origin"].contains(request.headers[.secFetchSite]),
            request.headers[.serviceWorker] == nil
        else { throw Self.foreign }
        try request.checkQueryHasNoSecret()
        if path == "/ticket" { return try await take(request) }
        guard path.hasPrefix("/__drawbridge__/") else {
            return try asset(String(path.dropFirst()), request)
        }
        switch secret.judge(request, from: request.remoteAddress) {
        case .right: return await gateway.respond(toInspector: request)
        case .throttled: throw Self.throttled
        case .wrong, nil:
            throw HTTPError(
                .unauthorized, "the inspector is opened by the link that the gateway prints",
                headers: [.wwwAuthenticate: "Bearer"])
        }
    }

    private func take(_ request: Request) async throws -> Response {
        guard request.method == .post else {
            throw HTTPError(.methodNotAllowed, "a ticket is posted", headers: [.allow: "POST"])
        }
        let input = try await request.input(as: Input.self)
        switch tickets.judge(input.ticket, from: request.remoteAddress) {
        case .right:
            return Response(
                bytes: JSON.object(["secret": .string(secret.text)]).bytes,
                contentType: "application/json")
        case .wrong:
            throw HTTPError(.forbidden, "this link was used, or is older than ten minutes; draw a new one")
        case .throttled: throw Self.throttled
        }
    }

    private struct Input: Decodable, Sendable {
        var ticket: String
    }

    private func asset(_ name: String, _ request: Request) throws -> Response {
        guard let bytes = Self.files[name] else {
            throw HTTPError(.notFound, "the inspector has no \(name.prefix(100)); it is at /")
        }
        guard request.method == .get || request.method == .head else {
            throw HTTPError(
                .methodNotAllowed, "the inspector's page is asked by GET", headers: [.allow: "GET, HEAD"])
        }
        return Response(bytes: bytes, contentType: MediaType.ofText(name))
    }

    private static let foreign = HTTPError(
        .forbidden, "the inspector is opened by the link that the gateway prints, in a tab of its own")
    private static let throttled = HTTPError(
        .tooManyRequests, "too many wrong secrets; try again in a second")

    /// Header fields of every response: the page runs its own scripts alone, connects nowhere else, and is in no frame.
    private static let fields: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
            """
        ),
        (.xFrameOptions, "DENY"),
        (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
        (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
        (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
        (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
    ]
}
