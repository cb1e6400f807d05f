/// The paths below `/__drawbridge__/` that the gateway answers itself: there are no others.
enum OwnPath: String, CaseIterable {
    /// The page that takes the ticket of a link, and where it posts that.
    case enter
    /// Whether the gateway is up.
    case health
    /// What editors know of files of replies and settings.
    case schema = "schema.json"
    /// The page runtime.
    case script = "page.js"
    /// Hands a global name to the page runtime.
    case global = "global.js"
    /// The page token, for a page that is open since before a restart.
    case token
    /// A page's synchronous call.
    case call
    /// What a page says when it leaves.
    case messages
    /// A page's WebSocket.
    case channel
    /// What tells a browser to use the proxy.
    case proxyScript = "proxy.pac"
    /// Puts a browser into a session of a test's.
    case session
    /// The tester's API: replies of a session.
    case replies
    /// The tester's API: which scenarios are on in a session.
    case scenario
    /// The tester's API: what native does by itself.
    case events
    /// The tester's API: questions that wait for an answer.
    case questions
    /// The tester's API: takes back what a session has changed.
    case reset
    /// The tester's API: pages.
    case pages
    /// The tester's API: devices that were let in.
    case admissions

    /// The path of a request, if it is one of these; nil for what is not below `/__drawbridge__/`, and for what is not
    /// there.
    init?(of request: Request) {
        // Every request is asked, and nearly all are told here.
        guard request.target.withBytes({ $0.count > 1 && $0[1] == UInt8(ascii: "_") }) else { return nil }
        let path = request.path
        guard path.hasPrefix(Self.start) else { return nil }
        let rest = path.dropFirst(Self.start.count)
        let name = rest.prefix { $0 != "/" }
        guard let own = Self(rawValue: String(name)), own.hasPathsBelow || name.endIndex == rest.endIndex
        else {
            return nil
        }
        self = own
    }

    private static let start = "\(PrivateEndpoints.prefix)/"

    /// The whole path.
    var path: String { "\(PrivateEndpoints.prefix)/\(rawValue)" }

    /// Whether it is for programs alone, which show the tester's token.
    var isForTesters: Bool {
        switch self {
        case .pages, .admissions, .replies, .scenario, .events, .questions, .reset: true
        default: false
        }
    }

    /// Whether it is for everybody, admitted or not.
    var isForEverybody: Bool { self == .enter || self == .health }

    private var hasPathsBelow: Bool { isForTesters || self == .session }
}
