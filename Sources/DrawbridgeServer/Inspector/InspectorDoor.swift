import CTexts
import Drawbridge
import HTTPTypes
import Synchronization

/// Serves the inspector's page, and its data to requests that have the secret.
///
/// The page itself is not secret, but the data is: what is not sent by the inspector's own origin is refused before
/// the secret is looked at.
final class InspectorDoor: Middleware {
    /// The files of the page, the folder `Page`, by their names.
    static let files = Texts(inspector_texts()).files

    private let gateway: Gateway
    private let pass: InspectorPass
    /// Set when it listens; until then no request fits.
    private let origin = Mutex("")

    init(to gateway: Gateway, _ pass: InspectorPass) {
        self.gateway = gateway
        self.pass = pass
    }

    /// Sets the origin by which it is reached.
    func isAt(_ origin: String) { self.origin.withLock { $0 = origin } }

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
        switch pass.judge(request, from: request.remoteAddress) {
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
        let (verdict, secret) = pass.take(input.ticket, from: request.remoteAddress)
        switch verdict {
        case .right:
            return Response(
                bytes: JSON.object(["secret": secret.map(JSON.string) ?? .null]).bytes,
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
        (HTTPField.Name("X-Frame-Options")!, "DENY"),
        (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
        (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
        (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
        (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
    ]
}

extension HTTPField.Name {
    fileprivate static let serviceWorker = Self("Service-Worker")!
}
