import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One loaded document: call it, send it events, run a script in it.
///
/// It exists from the page's first use of a bridge until the page is closed or reloaded. Messages to it arrive once and
/// in order, even if the connection breaks, and wait in the page until its bridge is ready.
///
/// ```swift
/// for await change in gateway.pages {
///     guard case .came(let page) = change else { continue }
///     let title = try await page.evaluate("document.title")
///     let shared = try await page.call("share")
/// }
/// ```
public final class Page: Sendable, Identifiable {
    /// The state of a page, as far as native knows it.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Presence: String, Sendable, CaseIterable {
        /// Its WebSocket is connected.
        case here
        /// It has no connection: it has not opened its channel yet, lost it, sleeps, or its browser has quit.
        case away
        /// The browser keeps it in its back/forward cache, where it does not run.
        case frozen
        /// It has reported that it is being left.
        case leaving
        /// It was closed, reloaded or lost.
        case gone
    }

    /// Names the page in headers and in `/__drawbridge__/pages`; nobody can guess it.
    ///
    /// A page that was given up and comes back is another ``Page`` with the same id.
    public let id: String
    /// The number of this life of the page, from 1 on (<doc:ThePageRuntime>).
    let life: Int
    let came = Date.now
    /// The caller's address, without a port; nil without a socket.
    public let remoteAddress: String?
    /// The head of the request that opened its channel, with its cookies and its browser's `User-Agent`.
    package let head: RequestHead
    package let session: Session
    /// Whether its document is in a frame of another, and whether its window was opened by another page.
    let isFramed: Bool
    let isOpened: Bool
    /// Whether it is in the app itself, which answers calls.
    let hasApp: Bool
    /// Who looks at it; nil without the page runtime, which shows questions.
    let viewer: Viewer?

    struct State {
        var address: Address
        var title: String
        var bridges: Set<Bridge> = []
        var missed: [MissedName] = []
        var faults = 0
        var told: Set<Lack> = []
        var bridgeFaults = 0
        var appNotes = 0
        var isHidden = false
        var phase = Phase.open
        var connection: (any PageConnection)?
        var since = Date.now
        /// Synchronous requests that block the page now, and whether a call to the blocked page was logged.
        var waits: [Int: (handler: String, isTold: Bool)] = [:]
        var lastWait = 0
        /// True while the browser keeps it in its back/forward cache.
        var isFrozen = false
        /// True when its pending calls have failed because it is away.
        var isMissed = false
        var outbox: Outbox
        /// The number of the last message of the page that was taken.
        var received = 0
        var begun = 0
        /// Messages that were taken and are not handled yet, in order.
        var inbox: [Work] = []
        var isWorking = false
        var handlers: HandlerSet?
        var calls: [Int: PendingCall] = [:]
        var lastCall = 0
        /// Calls and events that the page only has to confirm, since nobody waits for their answers.
        var deliveries: [Int: PendingCall] = [:]
        /// The journal records of the last deliveries, for answers that the page sends nevertheless.
        var lastDeliveries: [(id: Int, record: Int)] = []
        /// The page's calls of handlers that are under way; they have no task until they have started.
        var running: [Int: (task: Task<Void, Never>?, bytes: Int)] = [:]
        var lastRun = 0
        /// The bytes of the messages of running calls, and their counter in the server's memory limit.
        var runningBytes = 0
        var runningMemory: (any WaitingMemory)?

        /// The most bridges that a page may name: any script in it could report more and more.
        private static let mostBridges = 32

        mutating func add(_ bridge: Bridge) {
            if bridges.count < Self.mostBridges { bridges.insert(bridge) }
        }

        /// Why nothing can be sent to the page; nil while it is open.
        var goneBy: PageError? {
            switch phase {
            case .open: nil
            case .leaving: .left
            case .over(let error): error
            }
        }

        var presence: Presence {
            switch phase {
            case .leaving: .leaving
            case .over: .gone
            case .open: connection != nil ? .here : isFrozen ? .frozen : .away
            }
        }

        mutating func changes() { since = .now }

        /// Why calls that wait for the page's answer fail now; nil while they may wait.
        var missing: PageError? { isMissed ? (isFrozen ? .frozen : .away) : nil }

        /// Sends the messages that the window allows; under the lock, so that they leave in the order of their numbers.
        mutating func sendWhatMayGo() {
            guard let connection else { return }
            while let frame = outbox.nextFrame() { connection.send(frame) }
        }
    }

    /// Its address, and the path and the id in it, which each of its calls asks for.
    struct Address {
        let url: String
        let path: String
        let id: String?

        /// - Parameter item: the query item that has the id.
        init(_ said: String, item: String) {
            url = said.cut(to: 8000)
            path = Target.path(ofURL: url)
            let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
                .dropFirst()
            id = query.isEmpty ? nil : Query(String(Substring(query)))[item]
        }
    }

    enum Phase {
        case open
        /// The page has said that it leaves; its last messages may come a moment later.
        case leaving
        case over(PageError)
    }

    /// An entry of the inbox: a message and its size, which is the average of all in its frame; or a function that is
    /// called after the messages before it.
    typealias Work = (number: Int?, message: PageMessage?, bytes: Int, step: (@Sendable () -> Void)?)

    let state: Mutex<State>
    let gateway: any PageHost

    /// - Parameter said: the page's `url`, `title` and `session`, and which of `hidden`, `frame` and `opened` are true.
    package init(
        _ sign: PageSign, _ said: JSON, head: RequestHead, remoteAddress: String?, gateway: any PageHost
    ) {
        id = sign.id
        life = sign.life
        self.head = head
        self.remoteAddress = remoteAddress
        self.gateway = gateway
        let name = said["session"]?.stringValue ?? head.headers.value(.session)
        session = name.flatMap(Session.init) ?? .usual
        isFramed = said["frame"]?.boolValue == true
        isOpened = said["opened"]?.boolValue == true
        hasApp = said["hasApp"]?.boolValue == true
        viewer = said["viewer"]?.stringValue.flatMap(Viewer.init)
        state = Mutex(
            State(
                address: Address(
                    said["url"]?.stringValue ?? head.headers[.referer] ?? "", item: gateway.pageIDItem),
                title: (said["title"]?.stringValue ?? "").cut(to: Self.mostOfTitle),
                isHidden: said["hidden"]?.boolValue == true,
                outbox: Outbox(life: sign.life, in: gateway.pages.makeMemory()),
                runningMemory: gateway.pages.makeMemory()))
    }

    static let mostOfTitle = 1000

    /// Its address, with query and fragment.
    public var url: String { state.withLock { $0.address.url } }

    /// Its title, as last reported.
    public var title: String { state.withLock { $0.title } }

    /// The `User-Agent` of its browser; nil if it sends none.
    public var userAgent: String? { head.headers[.userAgent] }

    /// The bridges that the page has been seen to use, and that are ready.
    public var bridges: Set<Bridge> { state.withLock { $0.bridges } }

    /// False once it is closed, reloaded or lost.
    public var isOpen: Bool { state.withLock { $0.goneBy == nil } }

    /// Its present state: connected, away, in the back/forward cache, leaving, or gone.
    public var presence: Presence { state.withLock { $0.presence } }

    /// Whether messages can reach it: it is connected, or may connect at any moment.
    package var mayHear: Bool { [.here, .away].contains(presence) }

    package var received: Int { state.withLock { $0.received } }

    /// Whether the handling of its messages up to this number has begun, or never will.
    func hasBegun(_ number: Int) -> Bool { state.withLock { $0.presence == .gone || $0.begun >= number } }

    package var connection: (any PageConnection)? { state.withLock { $0.connection } }

    /// Whether no call is under way, in either direction, and the page has all that was sent to it.
    package var isIdle: Bool {
        state.withLock { $0.running.isEmpty && $0.inbox.isEmpty && $0.calls.isEmpty && $0.outbox.bytes == 0 }
    }

    var isOver: Bool { presence == .gone }

    /// Handlers for this page only, which take precedence over all others (contract, section 7); empty at first.
    ///
    /// They are removed with the page. For every page at an address, use ``Gateway/pages(matching:id:_:)``.
    public var handlers: HandlerSet {
        let set = state.withLock { state in
            if let handlers = state.handlers { return handlers }
            let handlers = HandlerSet(in: gateway.registry, logger: gateway.logger)
            state.handlers = handlers
            return handlers
        }
        gateway.registry.hasBecomeSpecial()
        return set
    }

    /// ``handlers``, if that set was made; else nil, without making it.
    var ownHandlers: HandlerSet? { state.withLock { $0.handlers } }

    package var path: String { state.withLock { $0.address.path } }

    var address: Address { state.withLock { $0.address } }
}
