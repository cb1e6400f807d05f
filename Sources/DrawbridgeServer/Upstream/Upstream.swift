import EventLoop

/// A reverse proxy: forwards requests to a server behind the gateway, and its responses back.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.upstream("http://127.0.0.1:5173"), .upstream("/api=https://api.example")])
/// ```
///
/// Bodies are streamed in both directions with backpressure; if the client disconnects, the transfer is cancelled.
/// WebSockets are forwarded too. Method, target, header fields, status and body are kept, except hop-by-hop fields,
/// `Via`, `X-Forwarded-*` and `Host`.
///
/// In the page's own address (`Origin`, `Referer`), the gateway's name is replaced by the server's. In the server's
/// addresses (redirects, cookies, policies, URLs in header fields and `<meta>`), its name is replaced by the gateway's.
/// Fields that would affect other pages at the gateway's name (`Strict-Transport-Security`, `Alt-Svc`) are removed.
public struct Upstream: Responder {
    /// Options for forwarding requests to a server.
    public struct Options: Sendable {
        /// Whether the server gets the client's `Host` instead of its own.
        public var keepsHost = false
        /// Whether to set `X-Forwarded-For` (with ``keepsHost`` also `-Proto` and `-Host`); else the client's are kept.
        public var tellsCaller = true
        /// Whether to replace the gateway's address by the server's in `Origin` and `Referer`, and the server's by the
        /// gateway's in redirects, cookies and policies.
        public var rewritesAddresses = true
        /// Whether to skip the verification of the server's certificate.
        public var isInsecure = false
        /// The path of a PEM file with CA certificates, to trust instead of the system's.
        public var certificates: String?
        /// The timeout for connecting.
        public var connectTimeout = Duration.seconds(10)
        /// The timeout for a server that makes no progress, before its response or within it.
        public var answerTimeout = Duration.seconds(60)

        /// The options' defaults: addresses are rewritten, certificates are verified.
        public init() {}
    }

    private let parsed: Result<(mapping: UpstreamMapping, sender: UpstreamSender), InvalidUpstream>

    /// Forwards requests to a server.
    ///
    /// - Parameters:
    ///   - text: `http://host[:port]`, `https://host` or `unix:/path/to.sock`; or one of them for paths below a prefix:
    ///     `/api=http://host/v2`.
    ///   - options: options for forwarding.
    /// - Throws: an error whose description is one line for the user.
    public init(_ text: String, _ options: Options = Options()) throws {
        self.init(unchecked: text, options)
        _ = try parsed.get()
    }

    fileprivate init(unchecked text: String, _ options: Options) {
        do {
            let mapping = try UpstreamMapping(parsing: text)
            let name = mapping.url.name
            let record = UpstreamRecord(
                "upstream \(name)", advice: "start it, or correct its URL in --upstream")
            parsed = .success((mapping, UpstreamSender(mapping.url, options, record: record)))
        } catch {
            parsed = .failure(error)
        }
    }

    /// The path prefix of the requests to forward; empty for all paths.
    package var prefix: String { (try? parsed.get().mapping.prefix) ?? "" }

    /// Returns the server's response; nil for a path that is not below the prefix.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    public func respond(to request: Request) async throws -> Response? {
        let (mapping, sender) = try parsed.mapError { HTTPError(.badGateway, $0.description) }.get()
        guard let target = mapping.target(for: request.target) else { return nil }
        return await sender.send(request, target, by: mapping)
    }
}

extension Upstream: LoopResponder {
    package func relaying(_ request: Request) -> Relaying? {
        guard case .success(let (mapping, sender)) = parsed, let loop = Loop.current,
            let target = mapping.target(for: request.target)
        else { return nil }
        return { tell in
            let fetch = sender.fetch(on: loop)
            sender.begin(fetch, request, target, by: mapping, tell)
            return fetch.cancel
        }
    }
}

extension Responder where Self == Upstream {
    /// Forwards requests to a server behind the gateway.
    ///
    /// With an invalid URL every request gets a 502; ``Upstream/init(_:_:)`` throws instead.
    ///
    /// - Parameters:
    ///   - text: `http://host[:port]`, `https://host` or `unix:/path/to.sock`; or one of them for paths below a prefix:
    ///     `/api=http://host/v2`.
    ///   - options: options for forwarding.
    public static func upstream(_ text: String, _ options: Upstream.Options = Upstream.Options()) -> Self {
        Upstream(unchecked: text, options)
    }
}
