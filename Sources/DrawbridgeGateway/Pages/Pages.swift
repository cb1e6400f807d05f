import Synchronization

/// The open pages of a gateway, and a sequence of those that come and go.
///
/// A page that uses no bridge is not among them, since it does not contact native.
public final class Pages: Sendable {
    /// A page came or went.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Change: Sendable {
        /// A page has used a bridge for the first time.
        case came(Page)
        /// A page was closed, reloaded or lost; the error says which.
        case went(Page, PageError)
    }

    private struct State {
        var pages: [String: Page] = [:]
        var ended = EndedLives()
        var listeners: [Int: AsyncStream<Change>.Continuation] = [:]
        var lastListener = 0
    }

    private struct Memory {
        var make: (@Sendable () -> any WaitingMemory)?
    }

    /// How long a page may be without a connection before it is given up.
    static let grace = Duration.seconds(30)

    /// How long messages of a page that leaves are still taken.
    static let leave = Duration.milliseconds(300)

    /// Identifies this process to pages: a page that connects to another process begins a new life.
    package let epoch = RequestID.epoch()

    private let state = Mutex(State())

    let turns = PageTurns()
    let requests = PageRequests()

    /// Makes the memory counter for the messages of a page; nil if no server limits them.
    ///
    /// It has a lock of its own, since pages are made while that of `state` is held.
    private let memory = Mutex(Memory())

    private let limit = Mutex(PageError.usualPatience)

    /// ``PageError/usualPatience``, or another time where a test has set one.
    package var patience: Duration {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// Counts messages of new pages against a server's memory limit; of several servers, against the first one's.
    package func count(in makeMemory: @escaping @Sendable () -> any WaitingMemory) {
        memory.withLock { $0.make = $0.make ?? makeMemory }
    }

    func makeMemory() -> (any WaitingMemory)? { memory.withLock { $0.make }?() }

    /// All open pages, the newest first.
    public var all: [Page] {
        state.withLock { Array($0.pages.values) }.sorted { ($0.came, $0.id) > ($1.came, $1.id) }
    }

    /// The page with this id; nil where it is gone.
    public subscript(id: String) -> Page? { state.withLock { $0.pages[id] } }

    /// Sends an event to every page.
    public func emit(_ event: String, _ data: JSON = .null) {
        // A page that has gone meanwhile needs no event.
        for page in all { try? page.emit(event, data) }
    }

    /// Sends an event with data of any type to every page.
    ///
    /// - Throws: an error of the encoding.
    @_disfavoredOverload
    public func emit(_ event: String, _ data: some Encodable & Sendable) throws {
        try emit(event, JSON(encoding: data))
    }

    /// Makes all pages reload, since their documents are out of date.
    package func reload() {
        for page in all { page.reload() }
    }

    package enum Arrival {
        /// A page whose life goes on, or has just begun (`isNew`).
        case page(Page, isNew: Bool)
        /// The page's life is over here: it is told to begin the next one, if it still listens.
        case over
        /// The message is of an earlier life: it is dropped, and not acknowledged.
        case late
        /// There are too many pages for another one.
        case full
    }

    /// The most pages at a time: without a limit, anybody with the page token could make any number.
    static let most = 20_000
    package static let isFull = HTTPError(
        .serviceUnavailable, "\(most) pages are open here; close some, and reload this one")

    /// Finds the page with this id and life, or makes it if the life begins; an earlier life of the page then ends.
    package func find(_ sign: PageSign, make: () -> Page) -> Arrival {
        while true {
            let (arrival, before) = state.withLock { state in
                Self.find(sign, isOurs: sign.epoch == epoch, in: &state, make: make)
            }
            guard let before else { return arrival }
            before.end(.followed)
        }
    }

    /// - Returns: the result, and the page of an earlier life that must be ended before the next try.
    private static func find(
        _ sign: PageSign, isOurs: Bool, in state: inout State, make: () -> Page
    ) -> (Arrival, before: Page?) {
        // Another process has handled messages of this life; which of them is not known here.
        if !isOurs, !sign.isFresh { return (.over, nil) }
        if let page = state.pages[sign.id] {
            if sign.life > page.life { return (.over, page) }
            if sign.life < page.life { return (.late, nil) }
            return (page.isOver ? .over : .page(page, isNew: false), nil)
        }
        if let ended = state.ended[sign.id] {
            if sign.life < ended.number { return (.late, nil) }
            if sign.life == ended.number { return (.over, nil) }
        }
        // This document has exchanged messages before, but its record is gone: which of them were taken is unknown.
        guard sign.isFresh else { return (.over, nil) }
        guard state.pages.count < most else { return (.full, nil) }
        let page = make()
        state.pages[sign.id] = page
        for listener in state.listeners.values { listener.yield(.came(page)) }
        return (.page(page, isNew: true), nil)
    }

    /// Accepts messages of a life that is over, from the page's last request, which comes late.
    ///
    /// That request is a beacon: the page gets no answer and never sends it again. The messages are marked as taken.
    ///
    /// - Returns: the number of the last message that was taken before; nil for an unknown life.
    package func lastWords(of sign: PageSign, _ messages: [JSON]) -> Int? {
        state.withLock { state in
            guard let life = state.ended[sign.id], life.number == sign.life, state.pages[sign.id] == nil
            else { return nil }
            let last = PageMessage.numbered(messages).map(\.number).reduce(life.last) { last, number in
                number == last + 1 ? number : last
            }
            state.ended.took(last, of: sign.id)
            return life.last
        }
    }

    /// Forgets which lives are over, as happens after ten minutes; for tests.
    func forgetEndedLives() { state.withLock { $0.ended = EndedLives() } }

    /// Whether a page's messages up to a position have begun, or it has begun a later life.
    func hasBegun(_ place: PageTurns.Place, of id: String) -> Bool {
        let (page, ended) = state.withLock { ($0.pages[id], $0.ended[id]?.number ?? 0) }
        guard let page else { return ended >= place.life }
        if page.life != place.life { return page.life > place.life }
        return page.hasBegun(place.number)
    }

    func end(_ error: PageError) { for page in all { page.end(error) } }

    /// Removes a page whose life is over.
    ///
    /// - Parameter last: the number of its last message that was taken.
    func remove(_ page: Page, last: Int, _ error: PageError) {
        state.withLock { state in
            // A page object that only took the last messages of a closed page was never registered.
            guard state.pages[page.id] === page else { return }
            state.pages[page.id] = nil
            state.ended.add(page.id, life: page.life, last: last)
            for listener in state.listeners.values { listener.yield(.went(page, error)) }
        }
        turns.reached(.init(life: page.life, number: .max), of: page.id)
    }
}

extension Pages: AsyncSequence {
    /// Yields the open pages first, and then changes; ends when its task is cancelled.
    public func makeAsyncIterator() -> AsyncStream<Change>.Iterator {
        let (stream, listener) = AsyncStream.makeStream(of: Change.self)
        let number = state.withLock { state in
            for page in state.pages.values { listener.yield(.came(page)) }
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            return state.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream.makeAsyncIterator()
    }
}
