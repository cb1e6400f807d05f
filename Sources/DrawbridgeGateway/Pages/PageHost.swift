/// What a page needs of its ``Gateway``.
package protocol PageHost: Answerer {
    var pages: Pages { get }
    var secrets: Redaction { get }

    func isPageToken(_ text: String) -> Bool

    var pageIDItem: String { get }

    func hasBridge(_ bridge: Page.Bridge) -> Bool

    func present(_ question: Question, for request: Request) async throws -> JSON?

    /// A page has answered the question with this number, or cannot show it.
    func decide(_ number: Int, _ outcome: Result<JSON, PageError>, by page: Page)

    /// Counts the changes of registered handlers, including those in the sets of pages.
    var registry: Registry { get }

    var journal: Journal { get }

    var isTelling: Bool { get }

    func respond(to call: PageCall, of page: Page, by tasks: HandlerTasks?) async -> PageAnswer

    /// A call of a page is over, perhaps because nobody answers it.
    func hear(of answer: PageAnswer, to call: PageCall, from page: Page)

    func hear(of missed: MissedName, from page: Page)

    /// A page has failed, perhaps without something of its app's.
    func hear(ofFailure message: String, from page: Page)

    /// A page in an app has found out who answers it.
    func hear(of note: InAppNote, from page: Page)

    func isHeard(_ answer: PageAnswer, _ call: PageCall) -> Bool
}

/// The connection of a page's channel: a WebSocket of the engine, or a stub in tests.
package protocol PageConnection: AnyObject, Sendable {
    /// Sends a text to the page, in order, from any thread; never blocks.
    func send(_ text: [UInt8])

    func close()

    var tasks: HandlerTasks? { get }

    /// Called when a call of the page is over, for the access log.
    ///
    /// - Parameter bytes: the size of the answer that the page gets; nil if it gets none.
    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration)
}
