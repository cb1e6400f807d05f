import Drawbridge

/// Kinds of requests in the access log, by who answered them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LoggedRequests: String, Sendable, CaseIterable {
    /// Calls of native's, answered or not, and whoever was refused.
    case native
    /// What a server behind the gateway answered.
    case upstream
    /// Files, what else the program answers besides native, and what nobody has.
    case files
    /// What the gateway answers itself, below `/__drawbridge__/`.
    case gateway

    init(_ request: Request, _ response: Response) {
        self =
            switch response.answeredBy {
            case "refused": .native
            case _ where Gateway.isAskedItself(by: request): .gateway
            case Response.upstream: .upstream
            case nil, "gateway", Response.files, Response.passed: .files
            default: .native
            }
    }

    /// Whether it is a call that the journal has, and no caller that was refused before it came to be one.
    func isCall(_ response: Response) -> Bool { self == .native && response.answeredBy != "refused" }

    /// How its line looks in a terminal: what native answered stands out, what passed on stands back.
    func kind(_ response: Response) -> LineKind {
        switch self {
        case .native:
            response.answeredBy == Response.noHandler || (response.code ?? response.status.code) >= 400
                ? .failedCall : .call
        case .upstream, .files, .gateway: response.status.code >= 500 ? .warning : .passed
        }
    }
}
