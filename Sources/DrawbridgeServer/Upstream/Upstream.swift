public import Drawbridge
import EventLoop
import HTTPClient
import MicroHTTPD

/// Sends requests on to a server behind the gateway, and its answers back, as if the gateway were not there.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.upstream("http://127.0.0.1:5173"), .upstream("/api=https://api.example")])
/// ```
///
/// Bodies are streamed both ways, as fast as the slower side reads; a caller that leaves ends the transfer. Target,
/// method, fields, status and body go on as they are, but for what belongs to a connection, `Via`, `X-Forwarded-*` and
/// `Host`. Where the page names the gateway as its own address (`Origin`, `Referer`), the server reads its own name; where
/// the server names itself (redirects, cookies, policies, any URL in a header field or a `<meta>`), the page reads the
/// gateway's. What would bind the gateway's name for other pages (`Strict-Transport-Security`, `Alt-Svc`) stays behind.
/// WebSockets go through.
public struct Upstream: Responder {
    /// How requests are sent on.
    public struct Options: Sendable {
        /// Whether the server gets the caller's `Host`, and not its own.
        public var keepsHost = false
        /// Whether the gateway writes `X-Forwarded-For`, and with ``keepsHost`` `-Proto` and `-Host`; else the caller's
        /// are forwarded unchanged.
        public var tellsCaller = true
        /// Whether the gateway's address is replaced by the server's in `Origin` and `Referer`, and the server's by the
        /// gateway's in redirects, cookies and policies.
        public var rewritesAddresses = true
        /// Whether the server's certificate is not verified.
        public var isInsecure = false
        /// A file of CA certificates (PEM) to trust instead of the system's.
        public var certificates: String?
        /// How long connecting may take.
        public var connectTimeout = Duration.seconds(10)
        /// How long the server may be silent where it is waited for: before its answer, and within it.
        public var answerTimeout = Duration.seconds(60)

        /// The defaults.
        public init() {}
    }

    private let parsed: Result<(mapping: UpstreamMapping, sender: UpstreamSender), InvalidUpstream>

    /// Sends requests to a server.
    ///
    /// - Parameters:
    ///   - text: `http://host[:port]`, `https://host`, `unix:/path/to.sock`, or one of them for what is below a path:
    ///     `/api=http://host/v2`.
    ///   - options: how requests are sent on.
    /// - Throws: an error whose description is one line for the person who starts the program.
    public init(_ text: String, _ options: Options = Options()) throws {
        self.init(unchecked: text, options)
        try validate()
    }

    fileprivate init(unchecked text: String, _ options: Options) {
        do {
            let mapping = try UpstreamMapping(parsing: text)
            let name = mapping.url.name
            let record = UpstreamRecord(
                "upstream \(name)", advice: "start it, or let --upstream name where it is")
            parsed = .success((mapping, UpstreamSender(mapping.url, options, record: record)))
        } catch {
            parsed = .failure(error)
        }
    }

    /// Checks the URL; whether the server can be reached shows with the first request.
    ///
    /// - Throws: an error whose description is one line for the person who starts the program.
    public func validate() throws { _ = try parsed.get() }

    /// The path below which requests are sent there; empty for all paths.
    package var prefix: String { (try? parsed.get().mapping.prefix) ?? "" }

    /// Answers with what the server answers; declines what is not below its path.
    ///
    /// - Throws: a `CancellationError` when the caller has gone.
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
    /// A server behind the gateway.
    ///
    /// With an invalid URL, every request is answered with 502; ``Upstream/validate()`` finds out at the start.
    ///
    /// - Parameters:
    ///   - text: `http://host[:port]`, `https://host`, `unix:/path/to.sock`, or one of them for what is below a path:
    ///     `/api=http://host/v2`.
    ///   - options: how requests are sent on.
    public static func upstream(_ text: String, _ options: Upstream.Options = Upstream.Options()) -> Self {
        Upstream(unchecked: text, options)
    }
}
