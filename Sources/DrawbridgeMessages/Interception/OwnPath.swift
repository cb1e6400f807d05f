/// The paths below `/__drawbridge__/` that the gateway answers itself: there are no others.
package enum OwnPath: String, CaseIterable {
    /// The page that takes the ticket of a link, and where it posts that.
    case enter
    /// Whether the gateway is up.
    case health
    /// What editors know of files of replies and settings.
    case schema = "schema.json"
    /// What generators of clients know of the tester's API.
    case description = "api.json"
    /// The manual, as one page.
    case manual
    /// The page runtime.
    case script = "page.js"
    /// Hands a global name to the page runtime.
    case global = "global.js"
    /// The scripts of bridges from outside.
    case bridge
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
    /// The tester's API: what was called of native.
    case calls
    /// The tester's API: the same as an HTTP archive.
    case har = "calls.har"
    /// The tester's API: what pages may call.
    case handlers
    /// The tester's API: the same as operations of OpenAPI, and as types of TypeScript.
    case openAPI = "openapi.json"
    case types = "types.d.ts"
    /// The tester's API: the answered calls as a file of replies.
    case record
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
    package init?(of request: Request) {
        guard Self.isOwn(request) else { return nil }
        let rest = request.path.dropFirst(Self.start.count)
        let name = rest.prefix { $0 != "/" }
        guard let own = Self(rawValue: String(name)), own.hasPathsBelow || name.endIndex == rest.endIndex
        else {
            return nil
        }
        self = own
    }

    package static let prefix = "/__drawbridge__"
    private static let start = "\(prefix)/"

    /// Whether the path of a request is the gateway's own, and nobody else's.
    package static func isOwn(_ request: Request) -> Bool {
        // Every request is asked, and nearly all are told here.
        guard request.target.withBytes({ $0.count > 1 && $0[1] == UInt8(ascii: "_") }) else { return false }
        let path = request.path
        return path == prefix || path.hasPrefix(start)
    }

    /// Whether a path is one of these but for how it is written: `//__drawbridge__/calls`, with a letter encoded.
    ///
    /// Nobody has it, and what is sent with it, the tester's token for instance, is for nobody else.
    package static func isMiswritten(_ request: Request) -> Bool {
        guard request.target.withBytes({ $0.count > 1 && "/%._".utf8.contains($0[1]) }) else { return false }
        let part = Target.segments(of: request.path)?.first { !$0.isEmpty && $0 != "." }
        return part.map { "/\($0)" == prefix || "/\($0)".hasPrefix(start) } ?? false
    }

    /// The whole path.
    package var path: String { "\(Self.prefix)/\(rawValue)" }

    /// Whether it is for programs alone, which show the tester's token.
    package var isForTesters: Bool {
        switch self {
        case .pages, .admissions, .calls, .har, .handlers, .openAPI, .types, .record, .replies, .scenario,
            .events,
            .questions, .reset:
            true
        default: false
        }
    }

    /// Whether it is there only where pages get the page runtime.
    package var isOfPages: Bool {
        switch self {
        case .script, .global, .bridge, .token, .call, .messages, .pages: true
        default: false
        }
    }

    /// Whether it is for everybody, admitted or not.
    package var isForEverybody: Bool { self == .enter || self == .health }

    private var hasPathsBelow: Bool {
        switch self {
        case .har, .handlers, .openAPI, .types, .record: false
        default: isForTesters || self == .session || self == .bridge || self == .manual
        }
    }
}
