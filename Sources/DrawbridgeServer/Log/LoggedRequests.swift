import Drawbridge

/// Kinds of requests in the access log, by who answered them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LoggedRequests: String, Sendable, CaseIterable {
    /// Calls of native, answered or not, and requests that were refused.
    case native
    /// What a server behind the gateway answered.
    case upstream
    /// Files, other answers of the program that are not native's, and paths that nobody has.
    case files
    /// What the gateway answers itself, below `/__drawbridge__/`.
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

    /// Whether it is a call that the journal has, and not a request that was refused before.
    func isCall(_ response: Response) -> Bool { self == .native && response.answeredBy != "refused" }

    /// How its line looks in a terminal: calls of native stand out, other requests are faint.
    func kind(_ response: Response) -> LineKind {
        switch self {
        case .native:
            response.answeredBy == Response.noHandler || (response.code ?? response.status.code) >= 400
                ? .failedCall : .call
        case .upstream, .files, .gateway: response.status.code >= 500 ? .warning : .passed
        }
    }
}
