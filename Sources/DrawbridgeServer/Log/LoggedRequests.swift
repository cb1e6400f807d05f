import Drawbridge

/// Kinds of requests in the access log, by who answered them.
public enum LoggedRequests: String, Sendable, CaseIterable {
    /// Calls of native's, answered or not, and whoever was refused.
    case native
    /// What a server behind the gateway answered.
    case upstream
    /// Files, and what else the program answers besides native.
    case files
    /// What the gateway answers itself, below `/__drawbridge__/`.
    case gateway

    init(_ response: Response) {
        switch response.answeredBy {
        case Response.upstream: self = .upstream
        case Response.files, Response.passed: self = .files
        case nil, "gateway": self = .gateway
        default: self = .native
        }
    }

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
