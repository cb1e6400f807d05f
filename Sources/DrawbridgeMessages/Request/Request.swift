/// One request: its head, its body, and who sent it.
///
/// A handler gets the *plain form* of the request: the path is the handler's own, the flag is gone. Change it and send
/// it on with ``passThrough()``; the upstream then gets the changed request.
public struct Request: Sendable {
    /// The HTTP method; of a call by `__jsbridge__` that of its request, which is usually POST.
    public var method: HTTPRequest.Method {
        get { own.method }
        set { own = own.with(method: newValue) }
    }

    /// `http` or `https`, as the caller reached the gateway; redirects, cookies and links are made of it.
    @usableFromInline package var scheme: String { own.scheme }

    /// Host and port as the caller reached the gateway; nil where HTTP/1.0 sent none.
    @usableFromInline package var authority: String? { own.authority }

    @usableFromInline package var site: Authority? { own.site }

    /// The origin of a page at this address, as browsers write it.
    package var ownOrigin: String? { site.map { WebOrigin.of(scheme: scheme, $0) } }

    package mutating func came(by way: (scheme: String, authority: String)) { own = own.with(way: way) }

    /// The header fields, in the order in which they came.
    public var headers: HTTPFields {
        get { own.headers }
        set { own = own.with(headers: newValue) }
    }

    /// True when the target was a whole URL (RFC 9112, section 3.2.2), which browsers send to a proxy alone.
    @usableFromInline package var isAbsoluteForm: Bool {
        get { own.isAbsoluteForm }
        set { own = own.with(isAbsoluteForm: newValue) }
    }

    @usableFromInline package var isOldVersion: Bool { own.isOldVersion }

    /// The gateway's address to which the connection was made; nil for callers from this machine, and without a socket.
    var localAddress: String? { parts.values.localAddress }

    /// The secret of the admission by which it was admitted; nil before that check, and if it needed no admission.
    @usableFromInline package var admission: String? {
        get { parts.values.admission }
        set { change { $0.admission = newValue } }
    }

    /// The gateway's own cookies by their names: nobody but the gateway itself sees them.
    @usableFromInline package var ownCookies: [String: String] { own.ownCookies }

    var isForwarded: Bool { own.isForwarded }

    /// True if no header field says anything about its caller: a browser, a page or a proxy.
    @usableFromInline package var isAnonymous: Bool { own.isAnonymous }

    /// Whether it names a message of its page that must be handled before it.
    @usableFromInline package var waitsForItsTurn: Bool { own.waitsForItsTurn }

    private var own: RequestHead {
        get { parts.values.head }
        set { change { $0.head = newValue } }
    }

    /// The raw target: percent-encoded, with query.
    @usableFromInline package var target: String {
        get { parts.values.target }
        set { change { $0.target = newValue } }
    }

    /// The target as it was sent, before any rule changed it; for a page's channel call, that of its handler.
    @usableFromInline package var sentTarget: String { channelCall == nil ? own.target : target }

    /// The body: bytes, or a stream where the handler asked for one (`HandlerOptions.body`).
    public var body: Body {
        get { parts.values.body }
        set { change { $0.body = newValue } }
    }

    /// The address of the caller, without a port; nil where there is no socket.
    public var remoteAddress: String? {
        get { parts.values.remoteAddress }
        set { change { $0.remoteAddress = newValue } }
    }

    /// Names this request in the log, in `X-Request-Id` and in errors.
    ///
    /// A caller's own valid id is kept.
    public var id: String {
        get { parts.values.id }
        set { change { $0.id = newValue } }
    }

    /// The values of `:name` and `*` in the registered path, percent-decoded; that of `*` has the name `"*"`.
    ///
    /// The caller chooses them: they may contain `/` and `..`, so never use one as the name of a file unchecked.
    public package(set) var parameters: [String: String] {
        get { parts.values.parameters }
        set { change { $0.parameters = newValue } }
    }

    /// A value that middleware has attached to the request, for handlers and responders: one of each type.
    ///
    /// ```swift
    /// request[Member.self] = try members.find(request)  // in a middleware
    /// let member = request[Member.self]                 // in a handler that stores its request
    /// ```
    ///
    /// It stays with the request, in streams too. It never comes from a caller, and is not sent to an upstream.
    public subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
        get { parts.values.found[ObjectIdentifier(type)] as? Value }
        set { change { $0.found[ObjectIdentifier(type)] = newValue } }
    }

    /// Whether the body or query names the handler (`action`), and the path does not.
    @usableFromInline package var isNamedByAction: Bool {
        get { parts.values.isNamedByAction }
        set { change { $0.isNamedByAction = newValue } }
    }

    /// The input, if the bridge has parsed it already: from `data` next to `action` in the body, or from a page's
    /// message.
    @usableFromInline package var bridgeInput: JSON? {
        get { parts.values.bridgeInput }
        set { change { $0.bridgeInput = newValue } }
    }

    /// The number of its call in the journal; nil if it is not recorded.
    ///
    /// It is stored outside `parts`, which would otherwise be copied for each call that is recorded.
    @usableFromInline package var record: Int? {
        get { recordNumber == 0 ? nil : recordNumber }
        set { recordNumber = newValue ?? 0 }
    }
    @usableFromInline var recordNumber = 0

    /// Whether it came from the inspector, whose secret was checked before.
    @usableFromInline package var isOfInspector: Bool {
        get { parts.values.isOfInspector }
        set { change { $0.isOfInspector = newValue } }
    }

    /// The call by a page's channel for which this request was made; nil for an HTTP request.
    @usableFromInline package var channelCall: (any ChannelCall)? { parts.values.channelCall }

    @usableFromInline package var isForScript: Bool { channelCall?.isForScript ?? false }

    /// The gateway that answers it; nil for a request that no gateway has seen.
    @usableFromInline package var answerer: (any Answerer)? {
        get { parts.values.answerer }
        set { change { $0.answerer = newValue } }
    }

    /// The engine's object for the client's connection and this request on it; nil for a request of no connection.
    @usableFromInline package var caller: (any AnyObject & Sendable)? { parts.values.caller }

    /// Adds what only the engine has, to a request that was planned by its head.
    package mutating func take(_ body: Body, from caller: (any AnyObject & Sendable)?) {
        change { ($0.body, $0.caller) = (body, caller) }
    }

    /// Requests are passed on often and changed rarely: copies share this until one of them is changed.
    @usableFromInline var parts: Parts

    /// Whether both are copies of one request, and neither was changed since.
    @usableFromInline package func isSame(as other: Request) -> Bool { parts === other.parts }

    mutating func change(_ change: (inout Values) -> Void) {
        var values = parts.values
        change(&values)
        parts = Parts(values)
    }

    /// Makes a request, for a test or to be sent on.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - target: path and query as they stand in a request line: `/echo?_mobile_bridge=1`.
    ///   - authority: the host, with a port if there is one; the default is always allowed to call.
    ///   - headers: the header fields other than `Host`.
    ///   - body: bytes or text.
    ///   - remoteAddress: the caller's address; nil counts as this machine.
    public init(
        _ method: HTTPRequest.Method, _ target: String, authority: String? = "localhost",
        headers: HTTPFields = [:], body: Body = .empty, remoteAddress: String? = nil
    ) {
        self.init(
            RequestHead(method, scheme: "http", authority: authority, target: target, headers: headers),
            body: body, remoteAddress: remoteAddress, id: Self.id(headers))
    }

    /// Makes a GET request: `Request("/echo?_mobile_bridge=1")`.
    public init(
        _ target: String, authority: String? = "localhost", headers: HTTPFields = [:], body: Body = .empty,
        remoteAddress: String? = nil
    ) {
        self.init(
            .get, target, authority: authority, headers: headers, body: body, remoteAddress: remoteAddress)
    }

    /// Makes a request with the id in `head`, or a new one; without an address it comes from this machine.
    public init(head: HTTPRequest, body: Body = .empty, remoteAddress: String? = nil) {
        self.init(
            RequestHead(head), body: body, remoteAddress: remoteAddress, id: Self.id(head.headerFields))
    }

    /// Makes a request that came from an engine.
    ///
    /// A request without an id gets one when the gateway decides about it.
    ///
    /// - Parameter target: the target of the plain form, if it is cached; nil for the target in the head.
    @usableFromInline package init(
        _ head: RequestHead, target: String? = nil, body: Body = .empty, remoteAddress: String?,
        localAddress: String? = nil, id: String = "", answerer: (any Answerer)? = nil,
        caller: (any AnyObject & Sendable)? = nil
    ) {
        parts = Parts(
            Values(
                head: head, target: target ?? head.target, body: body, remoteAddress: remoteAddress,
                localAddress: localAddress, id: id, answerer: answerer, caller: caller))
    }

    /// Makes the request for a page's call by its channel.
    ///
    /// - Parameters:
    ///   - head: that of the request that opened the page's channel.
    ///   - name: the handler's, as the page said it: the path with or without its slash.
    @usableFromInline package init(
        _ call: any ChannelCall, of name: String, with input: JSON, _ head: RequestHead,
        remoteAddress: String?, answerer: any Answerer
    ) {
        let path = name.hasPrefix("/") ? String(name.dropFirst()) : name
        let values = Values(
            head: head, target: "/" + Percent.encode(path, keeping: "/"), body: .empty,
            remoteAddress: remoteAddress, id: RequestID.from(nil), answerer: answerer, bridgeInput: input,
            channelCall: call)
        parts = Parts(values)
    }

    /// Makes a call that does not come from a page, such as the repetition of a call in the journal.
    ///
    /// - Parameter target: path and query of the handler.
    @usableFromInline package init(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields, body: Body,
        calling call: any ChannelCall
    ) {
        self.init(method, target, headers: headers, body: body)
        change { $0.channelCall = call }
    }

    /// The id of a request with these header fields: the caller's own, or a new one.
    package static func id(_ headers: HTTPFields) -> String { RequestID.from(headers.value(.requestID)) }

    @usableFromInline package static func id(_ head: RequestHead) -> String {
        head.isAnonymous ? RequestID.from(nil) : id(head.headers)
    }

    /// Method, scheme, authority, path and header fields as one value.
    ///
    /// `head.path` is the raw target: percent-encoded, with query.
    public var head: HTTPRequest {
        get {
            HTTPRequest(
                method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
        }
        set {
            own = RequestHead(newValue, isAbsoluteForm: isAbsoluteForm, isOldVersion: isOldVersion)
            target = own.target
        }
    }

    /// The path as it was sent: percent-encoded, without the query.
    public var path: String {
        get { Target(target).path }
        set { target = Target(path: newValue, query: Target(target).query).text }
    }

    /// The items of the query, percent-decoded, in order.
    ///
    /// Setting it encodes all items again; a query that is not set is sent on exactly as it came.
    public var query: Query {
        get { Query(Target(target).query ?? "") }
        set { target = Target(path: path, query: newValue.isEmpty ? nil : newValue.text).text }
    }

    /// The cookies by name; of two with one name, the first (RFC 6265, section 5.4, sends the closest path first).
    public var cookies: [String: String] { Cookies.parse(headers[values: .cookie]) }

    /// The session that a request says it belongs to, by `X-Drawbridge-Session` or by its cookie.
    ///
    /// A page's calls belong to the session of its document.
    package var session: Session {
        if let session = channelCall?.session { return session }
        if !isAnonymous, let name = headers.value(.session), let session = Session(name) { return session }
        guard !ownCookies.isEmpty else { return .usual }
        return ownCookies[Session.cookie(port: ownPort)].flatMap(Session.init) ?? .usual
    }

    package var ownPort: Int { site?.port ?? (scheme == "https" ? 443 : 80) }

    /// A logger that adds the request's id to each line.
    public var logger: Logger {
        var logger = answerer?.logger ?? .quiet
        logger[metadataKey: "request"] = .string(id)
        return logger
    }

    @usableFromInline package var via: Via { answerer?.via ?? .withoutGateway }

    /// Passes this request through to the responders, such as files or the upstream, and returns their response.
    ///
    /// It is not intercepted again, even if it has the flag.
    ///
    /// - Throws: a 404 if no responder takes it, and what a responder throws.
    public func passThrough() async throws -> Response {
        if let response = try await answerer?.answerFromBehind(self) { return response }
        throw HTTPError.nothingBehind(path)
    }
}

extension Logger {
    /// Logs nothing; for a request that has no gateway.
    static let quiet = Logger(label: "drawbridge") { _ in SwiftLogNoOpLogHandler() }
}
