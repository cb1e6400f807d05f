import CTexts
import Synchronization

/// The inspector: a web page that shows the calls of pages, and lets a tester answer them.
///
/// It has its own listener on this machine, with a random host name that no page can guess. So neither a page served by
/// the gateway nor a service worker left behind on the port can reach it. A link that works once lets a browser in.
///
/// ```swift
/// let inspector = try Inspector(of: gateway)
/// print(inspector.drawLink())
/// ```
public final class Inspector: Sendable {
    /// `http://i-0123456789abcdef.localhost:8081`; the host name is as secret as the inspector's data.
    public let origin: String
    private let tickets: Tickets
    private let server: GatewayServer

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - gateway: must keep a journal; it need not listen.
    ///   - port: 0 lets the system choose.
    /// - Throws: `ListenError`, whose text says what to do, if the port cannot be bound.
    public convenience init(of gateway: Gateway, port: Int = 0) throws {
        try self.init(of: gateway, port: port, url: nil, isForAll: false)
    }

    /// Like ``init(of:port:)``, with a given origin or on all addresses.
    ///
    /// - Parameters:
    ///   - url: the origin in browsers; nil for a random host name with the actual port.
    ///   - isForAll: whether to listen on all addresses.
    ///   - secret: makes host name and secret the same in each process that has it; nil for random ones.
    package init(
        of gateway: Gateway, port: Int, url: String?, isForAll: Bool, secret: SharedSecret? = nil
    ) throws {
        tickets = Tickets()
        let token = secret.flatMap { TesterToken($0.value(for: "inspector")) }
        let door = InspectorDoor(to: gateway, tickets, token ?? TesterToken())
        // A gateway with nothing but this middleware, which does the access checks itself. Behind a container's port or
        // a proxy, the client's address says nothing, so everybody is trusted here.
        var access = AccessPolicy()
        if isForAll || url != nil { access.trust = .everybody }
        access.allow(url)
        let name = secret?.value(for: "inspector's host") ?? .random128()
        let host = "i-\(name.prefix(16)).localhost"
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

    /// Makes a link that lets in one browser, once, within ten minutes.
    public func drawLink() -> String { "\(origin)/#\(tickets.draw())" }

    /// Stops the listener.
    public func stop() async { await server.stop() }
}

/// Serves the inspector's page, and its data to requests with the secret.
///
/// The page is public, the data is not. A request from any other origin is refused before the secret is compared.
final class InspectorDoor: Middleware {
    /// The page's files by name, from the folder `Page`.
    static let files = Texts(inspector_texts()).files

    private let gateway: Gateway
    private let tickets: Tickets
    /// The secret that a tab gets for its ticket; it is neither the tester's token nor a page's.
    private let secret: TesterToken
    /// The inspector's own origin; empty until it listens, so that every request is refused before.
    let origin = Mutex("")

    init(to gateway: Gateway, _ tickets: Tickets, _ secret: TesterToken) {
        self.gateway = gateway
        self.tickets = tickets
        self.secret = secret
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
            // Only a navigation of a tab: no other page may fetch the page or put it into a frame.
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
                .unauthorized, "open the inspector with the link that the gateway prints",
                headers: [.wwwAuthenticate: "Bearer"])
        }
    }

    private func take(_ request: Request) async throws -> Response {
        guard request.method == .post else {
            throw HTTPError(.methodNotAllowed, "send a ticket with POST", headers: [.allow: "POST"])
        }
        let input = try await request.input(as: Input.self)
        guard tickets.take(input.ticket) else {
            throw HTTPError(.forbidden, "this link was used, or is older than ten minutes; make a new one")
        }
        return Response(
            bytes: JSON.object(["secret": .string(secret.text)]).bytes, contentType: "application/json")
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
                .methodNotAllowed, "the inspector's page takes only GET and HEAD",
                headers: [.allow: "GET, HEAD"])
        }
        return Response(bytes: bytes, contentType: MediaType.ofText(name))
    }

    private static let foreign = HTTPError(
        .forbidden, "open the inspector with the link that the gateway prints, in a tab of its own")
    private static let throttled = HTTPError(
        .tooManyRequests, "too many wrong secrets; try again in a second")

    /// Header fields of all responses: only the page's own scripts and connections are allowed, and no frames.
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
