import Synchronization

/// The pages that speak to a gateway now, and word of those that come and go.
///
/// A page that uses no bridge is not among them: it says nothing to native.
public final class Pages: Sendable {
    /// A page came or went.
    public enum Change: Sendable {
        /// It spoke to native for the first time.
        case came(Page)
        /// It was closed, reloaded or lost; the error says which.
        case went(Page, PageError)
    }

    private struct State {
        var pages: [String: Page] = [:]
        var listeners: [Int: AsyncStream<Change>.Continuation] = [:]
        var lastListener = 0
    }

    /// How long a page may be without a connection before it is given up.
    static let grace = Duration.seconds(30)

    /// How long a page that goes may still say something.
    static let leave = Duration.milliseconds(300)

    private let state = Mutex(State())

    init() {}

    /// All of them, in no order.
    public var all: [Page] { state.withLock { Array($0.pages.values) } }

    /// How many there are.
    public var count: Int { state.withLock { $0.pages.count } }

    /// The page with this id.
    public subscript(id: String) -> Page? { state.withLock { $0.pages[id] } }

    /// Sends an event to every page (``Page/emit(_:_:)``).
    public func emit(_ event: String, _ data: JSON = .null) {
        // One that has gone meanwhile misses nothing.
        for page in all { try? page.emit(event, data) }
    }

    /// The page with this id, which is made where there is none.
    func find(_ id: String, make: () -> Page) -> (page: Page, isNew: Bool) {
        state.withLock { state in
            if let page = state.pages[id] { return (page, false) }
            let page = make()
            state.pages[id] = page
            for listener in state.listeners.values { listener.yield(.came(page)) }
            return (page, true)
        }
    }

    /// Ends all of them.
    func end(_ error: PageError) { for page in all { page.end(error) } }

    func remove(_ page: Page, _ error: PageError) {
        state.withLock { state in
            guard state.pages.removeValue(forKey: page.id) != nil else { return }
            for listener in state.listeners.values { listener.yield(.went(page, error)) }
        }
    }
}

extension Pages: AsyncSequence {
    /// Pages that are there already come first; ends with its task.
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
