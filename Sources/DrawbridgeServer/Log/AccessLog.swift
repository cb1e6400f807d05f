/// Logs one line per request: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B  request=abc-1`.
struct AccessLog {
    enum Cut: String {
        case callerLeft = "caller left"
        case stopped
    }

    let writer: LogWriter
    let kinds: Set<LoggedRequests>
    private let gateway: Gateway
    /// True if the journal logs native calls; then their requests get no line.
    private var isToldOfCalls = false

    /// Logs a gateway's requests, and its native calls if it keeps a journal.
    ///
    /// In JSON, calls are logged as requests. In text, a call's line says who answered it, or why nobody did.
    init(_ gateway: Gateway, _ configuration: ServerConfiguration) {
        writer = .standardError
        self.gateway = gateway
        kinds = configuration.logged
        guard gateway.keepsJournal, writer.format == .text, kinds.contains(.native) else { return }
        isToldOfCalls = true
        let columns = { @Sendable [writer] in writer.columns }
        gateway.tellCalls(hasIDs: configuration.logsIDs, columns: columns) { [writer] line, hasFailed in
            // Two spaces between the time and the columns of a call.
            writer.write(" \(line)", as: hasFailed ? .failedCall : .call)
        }
    }

    /// Logs a request that was answered.
    ///
    /// - Parameter bytes: the size of the response; nil for a call over a page's channel that gets no answer.
    func add(
        _ request: Request, _ response: Response, bytes: Int?, took: Duration = .zero,
        cut: Cut? = nil
    ) {
        let sort = LoggedRequests(request, response)
        guard kinds.contains(sort), !isToldOfCalls || !sort.isCall(response) else { return }
        let own = response.answeredBy == Response.ownAnswer || sort == .gateway
        let by = own ? "gateway" : response.answeredBy ?? "gateway"
        let code = response.code.flatMap { $0 == response.status.code ? nil : $0 }
        switch writer.format {
        case .text:
            let line = line(request, response, by: by, code: code, bytes, took, cut)
            writer.write(line, as: cut == nil ? sort.kind(response) : .passed)
        case .json: writer.write(members(request, response, by: by, code: code, bytes, took, cut))
        }
    }

    private func line(
        _ request: Request, _ response: Response, by: String, code: Int?, _ bytes: Int?, _ took: Duration,
        _ cut: Cut?
    ) -> String {
        // Appended, because string interpolation would cost more than handling the request.
        var line = request.method.rawValue
        line.reserveCapacity(256)
        line += " "
        line += Self.shown(target(of: request))
        line += "  "
        line += Self.shown(by)
        line += "  "
        if let cut {
            line += cut.rawValue
        } else if bytes == nil {
            // No status, because the page gets no answer.
            line += code.map { "not answered (code \($0))" } ?? "not answered"
        } else {
            line += String(response.status.code)
            let refusal = response.refusal.map { Self.shown(gateway.secrets.removed(fromText: $0)) }
            let why = [code.map { "code \($0)" }, refusal].compactMap { $0 == "" ? nil : $0 }
            if !why.isEmpty { line += " (\(why.joined(separator: ": ")))" }
        }
        line += "  "
        line += took.milliseconds
        line += " ms  "
        if let bytes {
            line += String(bytes)
            line += " B  "
        }
        line += "request="
        line += Self.shown(request.id)
        return line
    }

    private func members(
        _ request: Request, _ response: Response, by: String, code: Int?, _ bytes: Int?, _ took: Duration,
        _ cut: Cut?
    ) -> JSON.Object {
        var members: JSON.Object = [
            "level": "info", "request": .string(request.id), "method": .string(request.method.rawValue),
            "target": .string(Self.shown(target(of: request))), "by": .string(by),
            "status": .number(.init(response.status.code)),
        ]
        if let code { members["code"] = .number(.init(code)) }
        if let refusal = response.refusal {
            members["message"] = .string(Self.shown(gateway.secrets.removed(fromText: refusal)))
        }
        if let cut { members[cut == .stopped ? "stopped" : "callerLeft"] = true }
        if bytes == nil { members["answered"] = false }
        members["milliseconds"] = JSON.Number(literal: took.milliseconds).map(JSON.number)
        members["bytes"] = .number(.init(bytes ?? 0))
        members["remote"] = request.remoteAddress.map(JSON.string)
        return members
    }

    /// The request target as it was sent, possibly a whole URL, without secrets.
    ///
    /// For the gateway's own paths, a query with a secret is removed.
    private func target(of request: Request) -> String {
        if OwnPath.isOwn(request), request.hasSecretInQuery {
            return "\(request.path)?[removed]"
        }
        return gateway.secrets.removed(
            fromText: request.isAbsoluteForm
                ? "\(request.scheme)://\(request.authority ?? "")\(request.sentTarget)" : request.sentTarget)
    }

    /// A text from outside, cut after 200 characters.
    private static func shown(_ text: String) -> String {
        text.utf8.count <= 200 ? text : String(text.prefix(200))
    }

    func add(refused status: HTTPResponse.Status, _ message: String) {
        switch writer.format {
        case .text: writer.write("-  refused  \(status.code)  \(gateway.secrets.removed(fromText: message))")
        case .json:
            writer.write([
                "level": "info", "by": "refused", "status": .number(.init(status.code)),
                "message": .string(gateway.secrets.removed(fromText: message)),
            ])
        }
    }
}

/// Kinds of requests in the access log, by who answered them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LoggedRequests: String, Sendable, CaseIterable {
    /// Calls of native functions, answered or not, and refused requests.
    case native
    /// Answered by an upstream.
    case upstream
    /// Answered by a file or by the program itself, or not found.
    case files
    /// The gateway's own endpoints below `/__drawbridge__/`.
    case gateway

    init(_ request: Request, _ response: Response) {
        self =
            switch response.answeredBy {
            case "refused": .native
            case _ where OwnPath.isOwn(request): .gateway
            case Response.upstream: .upstream
            case nil, "gateway", Response.files, Response.passed: .files
            default: .native
            }
    }

    /// Whether the journal has it as a call; a request that was refused before is not in the journal.
    func isCall(_ response: Response) -> Bool { self == .native && response.answeredBy != "refused" }

    /// The style of its line in a terminal: native calls are coloured, other requests are faint.
    func kind(_ response: Response) -> LineKind {
        switch self {
        case .native:
            response.answeredBy == Response.noHandler || (response.code ?? response.status.code) >= 400
                ? .failedCall : .call
        case .upstream, .files, .gateway: response.status.code >= 500 ? .warning : .passed
        }
    }
}
