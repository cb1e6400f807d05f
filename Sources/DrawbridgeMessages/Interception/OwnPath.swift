/// The gateway's own endpoints below `/__drawbridge__/`; no other paths exist there.
package enum OwnPath: String, CaseIterable {
    /// The page that a link with a ticket opens; it posts the ticket here.
    case enter
    case health
    /// The JSON Schema of files of mocks and settings, for editors.
    case schema = "schema.json"
    /// The description of the tester's API, for client generators.
    case description = "api.json"
    case manual
    case script = "page.js"
    /// A script that hands the value of a global name to the page runtime.
    case global = "global.js"
    /// The script that shows questions over pages.
    case ask = "ask.js"
    case bridge
    /// The page token, for a page that was opened before a restart.
    case token
    case call
    /// A page's messages by HTTP instead of its WebSocket, for example when it is closed.
    case messages
    case channel
    /// Puts a browser into the session of a test.
    case session
    // The tester's API, from here to the end.
    case calls, handlers
    /// The answered calls as a file of mocks.
    case record
    case replies, scenario, events, questions
    /// Drops the replies and scenarios that a session has set.
    case reset
    case pages, admissions

    /// Nil for a path that is not below `/__drawbridge__/`, and for one that does not exist there.
    package init?(of request: Request) {
        guard Self.isOwn(request) else { return nil }
        let rest = request.path.dropFirst(Self.start.count)
        let name = rest.prefix { $0 != "/" }
        guard let own = Self(rawValue: String(name)), own.hasPathsBelow || name.endIndex == rest.endIndex
        else { return nil }
        self = own
    }

    package static let prefix = "/__drawbridge__"
    private static let start = "\(prefix)/"

    /// Whether the path of a request is the gateway's own, which no handler and no upstream gets.
    package static func isOwn(_ request: Request) -> Bool {
        // This runs for every request, and the second byte rules out nearly all.
        guard request.target.withBytes({ $0.count > 1 && $0[1] == UInt8(ascii: "_") }) else { return false }
        let path = request.path
        return path == prefix || path.hasPrefix(start)
    }

    /// Whether a path is one of these in another spelling: `//__drawbridge__/calls`, or with a letter encoded.
    ///
    /// It is refused, since what is sent with it, such as the tester's token, must reach no handler and no upstream.
    package static func isMiswritten(_ request: Request) -> Bool {
        guard request.target.withBytes({ $0.count > 1 && "/%._".utf8.contains($0[1]) }) else { return false }
        let part = Target.segments(of: request.path)?.first { !$0.isEmpty && $0 != "." }
        return part.map { "/\($0)" == prefix || "/\($0)".hasPrefix(start) } ?? false
    }

    package var path: String { "\(Self.prefix)/\(rawValue)" }

    /// Whether only programs with the tester's token may use it.
    package var isForTesters: Bool {
        switch self {
        case .pages, .admissions, .calls, .handlers, .record, .replies, .scenario, .events, .questions,
            .reset:
            true
        default: false
        }
    }

    /// Whether it exists only where pages get the page runtime.
    package var isOfPages: Bool {
        switch self {
        case .script, .global, .bridge, .token, .call, .messages, .pages: true
        default: false
        }
    }

    package var isForEverybody: Bool { self == .enter || self == .health }

    private var hasPathsBelow: Bool {
        switch self {
        case .handlers, .record: false
        default: isForTesters || self == .session || self == .bridge || self == .manual
        }
    }
}
