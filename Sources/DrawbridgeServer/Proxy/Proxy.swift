public import Drawbridge
import HTTPClient
import HTTPTypes
import MicroHTTPD

/// Answers for other hosts, as the http proxy of a browser: for pages that cannot be served through the gateway.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.proxy()], access: AccessPolicy(allowedOrigins: ["http://m.example"]))
/// ```
///
/// Requests for native are answered on the way, those to `http://__jsbridge__/` included; others are forwarded. The
/// pages of a site are given the page runtime, and may call native, where their origin is one of
/// ``/Drawbridge/AccessPolicy/allowedOrigins``. Only this machine may use it unless others are listed; nobody reaches
/// the gateway itself by way of it, nor link-local addresses.
///
/// A browser learns from `/__drawbridge__/proxy.pac` what to ask it for. What is asked by https is opaque to a proxy:
/// front such a site with ``Upstream``.
public struct Proxy: Responder {
    private static let scriptPath = "/__drawbridge__/proxy.pac"

    private let clients: Result<[AddressRange], InvalidAddressRange>
    private let options = Upstream.Options(forProxy: ())

    /// Answers for other hosts.
    ///
    /// - Parameter clients: addresses (`192.0.2.7`) and ranges (`10.0.0.0/8`) of those who may ask besides this
    ///   machine.
    /// - Throws: an error whose description is one line for the person who starts the program.
    public init(clients: [String] = []) throws {
        self.init(unchecked: clients)
        try validate()
    }

    fileprivate init(unchecked clients: [String]) {
        self.clients = Result { () throws(InvalidAddressRange) in
            try clients.map { text throws(InvalidAddressRange) in try AddressRange(text) }
        }
    }

    /// Checks the addresses.
    ///
    /// - Throws: an error whose description is one line for the person who starts the program.
    public func validate() throws { _ = try clients.get() }

    /// It answers for hosts that are not the gateway's.
    public var isProxy: Bool { true }

    /// Forwards a request whose target is a whole URL, and tells a browser how to send such; declines others.
    ///
    /// - Throws: an `HTTPError` for what is not to be forwarded.
    public func respond(to request: Request) async throws -> Response? {
        guard request.isAbsoluteForm else { return try script(for: request) }
        let caller = request.remoteAddress.flatMap { IPAddress($0) }
        if let error = refusal(of: request, from: caller) { return Gateway.refusal(error) }
        guard request.scheme == "http" || request.scheme == "ws", let authority = request.authority,
            let url = try? UpstreamURL("http://\(authority)")
        else {
            return Gateway.refusal(
                HTTPError(
                    .badRequest,
                    "a proxy is asked for http:// URLs; let the browser ask for others as \(Self.scriptPath) says"
                ))
        }
        let sender = UpstreamSender(
            url, options, record: nil, guardian: ProxyTargets.guardian(.proxy, of: authority, for: caller))
        return await sender.send(request, request.target, by: nil)
    }

    /// Whether a caller may use it: this machine, and the addresses that are listed.
    func serves(_ caller: IPAddress) -> Bool {
        caller.isLoopback || (try? clients.get())?.contains { $0.contains(caller) } == true
    }

    private func refusal(of request: Request, from caller: IPAddress?) -> HTTPError? {
        if case .failure(let error) = clients { return HTTPError(.forbidden, error.description) }
        // A request without a socket comes from this very process, which may use its own proxy.
        guard let address = request.remoteAddress, caller.map(serves) != true else { return nil }
        return HTTPError(
            .forbidden,
            """
            \(address) may not use this proxy; allow it with --proxy-client \(address), in code \
            .proxy(clients: ["\(address)"])
            """)
    }

    /// The script that tells a browser when to use the proxy, which it names as the browser did.
    private func script(for request: Request) throws -> Response? {
        guard request.path == Self.scriptPath else { return nil }
        guard request.method == .get || request.method == .head else {
            throw HTTPError(
                .methodNotAllowed, "\(request.path) takes GET and HEAD", headers: [.allow: "GET, HEAD"])
        }
        guard let script = request.authority.flatMap(ProxyAutoConfig.script) else {
            throw HTTPError(.badRequest, "a browser asks for \(request.path) with a Host, which it then uses")
        }
        var response = Response(text: script, contentType: ProxyAutoConfig.contentType)
        response.headers[.cacheControl] = "no-cache"
        return response
    }
}

extension Responder where Self == Proxy {
    /// A browser's http proxy.
    ///
    /// - Parameter clients: addresses (`192.0.2.7`) and ranges (`10.0.0.0/8`) of those who may ask besides this
    ///   machine; what is none answers every request with 403, and ``Proxy/validate()`` finds out at the start.
    public static func proxy(clients: [String] = []) -> Self { Proxy(unchecked: clients) }
}

extension Upstream.Options {
    /// The options of a browser's proxy, which changes nothing on the way.
    ///
    /// The browser itself names the server, so `Host` stays, and redirects are not rewritten. The server is not told
    /// the caller's address.
    fileprivate init(forProxy: Void) {
        self.init()
        tellsCaller = false
        rewritesAddresses = false
        keepsHost = true
    }
}
