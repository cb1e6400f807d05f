/// The paths below `/__drawbridge__/` that the gateway answers itself: there are no others.
enum OwnPath: String, CaseIterable {
    /// The page that takes the ticket of a link, and where it posts that.
    case enter
    /// Whether the gateway is up.
    case health
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
    var isForTesters: Bool { self == .pages || self == .admissions }

    /// Whether it is for everybody, admitted or not.
    var isForEverybody: Bool { self == .enter || self == .health }

    private var hasPathsBelow: Bool { isForTesters }
}
