public import HTTPTypes
public import Logging

/// One request: its head, its body, and who sent it.
///
/// A handler gets the *plain form* of the request: the path is the handler's own, the flag is gone. Change it and
/// send it on with ``passThrough()``; what lies behind the gateway then sees the changed request.
public struct Request: Sendable {
    /// The method.
    public var method: HTTPRequest.Method

    /// `http` or `https`.
    package var scheme: String

    /// Host and port as they were sent; nil where HTTP/1.0 sent none.
    package var authority: String? {
        didSet { site = Authority(authority) }
    }

    /// What `authority` says; nil where it says nothing, or no host.
    private(set) var site: Authority?

    /// The raw target: percent-encoded, with query.
    package var target: String

    /// The header fields, in the order in which they came.
    public var headers: HTTPFields

    /// The body: bytes, or a stream where the handler asked for one (``Handler/bodyMode``).
    public var body: Body

    /// The address of the caller, without a port; nil where there is no socket.
    public var remoteAddress: String?

    /// Names this request in the log, in `X-Request-Id` and in errors.
    ///
    /// A caller's own valid id is kept.
    public var id: String

    /// What `:name` and `*` in the registered path stood for, percent-decoded; the rest below `*` is under `"*"`.
    ///
    /// A caller chooses them: they may hold `/` and `..`, and are never the name of a file as they are.
    public internal(set) var parameters: [String: String] = [:]

    /// True when the target was a whole URL, as a browser sends it to a proxy (RFC 9112, section 3.2.2).
    package var isAbsoluteForm = false

    /// Where the handler's name and input come from; set by the rule that took the request.
    package var naming = Naming.path

    /// The input where the door has read it from the body already (`data` beside `action`).
    var doorInput: JSON?

    /// The gateway that answers it; nil for a request that no gateway has seen.
    var gateway: Gateway?

    /// Where a door finds the name of its handler.
    package enum Naming: Sendable {
        case path
        case action
    }

    /// Makes a request, for a test or to be sent on.
    ///
    /// - Parameters:
    ///   - method: any method.
    ///   - target: path and query as they stand in a request line: `/echo?_mobile_bridge=1`.
    ///   - authority: the host, with a port if there is one; the default is always allowed to call.
    ///   - headers: the header fields besides `Host`.
    ///   - body: bytes or text.
    ///   - remoteAddress: the caller's address; nil counts as this machine.
    public init(
        _ method: HTTPRequest.Method, _ target: String, authority: String? = "localhost",
        headers: HTTPFields = [:], body: Body = .empty, remoteAddress: String? = nil
    ) {
        self.init(
            unnamed: method, scheme: "http", authority: authority, target: target, headers: headers,
            body: body, remoteAddress: remoteAddress)
        name()
    }

    /// Makes a GET request: `Request("/echo?_mobile_bridge=1")`.
    public init(
        _ target: String, authority: String? = "localhost", headers: HTTPFields = [:], body: Body = .empty,
        remoteAddress: String? = nil
    ) {
        self.init(
            .get, target, authority: authority, headers: headers, body: body, remoteAddress: remoteAddress)
    }

    /// Makes a request from a head and a body.
    public init(head: HTTPRequest, body: Body = .empty, remoteAddress: String? = nil) {
        self.init(
            unnamed: head.method, scheme: head.scheme ?? "http", authority: head.authority,
            target: head.path ?? "/", headers: head.headerFields, body: body, remoteAddress: remoteAddress)
        name()
    }

    /// Makes a request that has no id yet, for a first look at its head: most get theirs when the body is there.
    package init(
        unnamed method: HTTPRequest.Method, scheme: String, authority: String?, target: String,
        headers: HTTPFields, body: Body = .empty, remoteAddress: String?
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        site = Authority(authority)
        self.target = target
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
        self.id = ""
    }

    /// Gives it its id.
    package mutating func name() { id = RequestID.from(headers.value(.requestID)) }
}

extension Request {
    /// Method, scheme, authority, path and header fields in one.
    ///
    /// `head.path` is the raw target: percent-encoded, with query.
    public var head: HTTPRequest {
        get {
            HTTPRequest(
                method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
        }
        set {
            method = newValue.method
            scheme = newValue.scheme ?? "http"
            authority = newValue.authority
            target = newValue.path ?? "/"
            headers = newValue.headerFields
        }
    }

    /// The path as it was sent: percent-encoded, without the query.
    public var path: String {
        get { Target(target).path }
        set { target = Target(path: newValue, query: Target(target).query).text }
    }

    /// The items of the query, percent-decoded, in order.
    ///
    /// Setting it encodes the items anew; a query that is not set goes on exactly as it was sent.
    public var query: Query {
        get { Query(Target(target).query ?? "") }
        set { target = Target(path: path, query: newValue.isEmpty ? nil : newValue.text).text }
    }

    /// The cookies by name; of two with one name, the first (RFC 6265, section 5.4, sends the closest path first).
    public var cookies: [String: String] { Cookies.parse(headers[values: .cookie]) }

    /// Logs with the request's id.
    public var logger: Logger {
        var logger = gateway?.logger ?? .quiet
        logger[metadataKey: "request"] = .string(id)
        return logger
    }

    /// The handlers of the gateway that answers this; nil for a request that no gateway has seen.
    package var registered: [(path: String, handler: String)]? { gateway?.registered }

    /// Sends this request on to what lies behind the gateway, files or the page's server, and returns the answer.
    ///
    /// It is not intercepted again, flag or no flag.
    ///
    /// - Throws: a 404 where nothing behind the gateway takes it.
    public func passThrough() async throws -> Response {
        guard let response = try await gateway?.behind.respond(to: self) else {
            throw HTTPError.nothingBehind(path)
        }
        return response
    }
}

extension Request {
    /// True when the caller is on this machine, and when there is no socket at all.
    var isFromThisMachine: Bool {
        guard let remoteAddress, remoteAddress != "127.0.0.1", remoteAddress != "::1" else { return true }
        return Authority.isLoopback(address: remoteAddress)
    }
}

extension HTTPError {
    static func nothingBehind(_ path: String) -> HTTPError {
        HTTPError(
            .notFound,
            "nothing at \(path): the gateway has no file and no server behind it that takes this path")
    }
}

extension Logger {
    /// For a request that never met a gateway: says nothing.
    static let quiet = Logger(label: "drawbridge") { _ in SwiftLogNoOpLogHandler() }
}
