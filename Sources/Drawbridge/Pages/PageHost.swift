import Logging

/// Whom a page speaks to, as far as the page itself asks for it: a ``Gateway``.
protocol PageHost: Answerer {
    /// The pages that speak to it.
    var pages: Pages { get }

    /// Whether a text is the secret that pages have.
    func isPageToken(_ text: String) -> Bool

    /// Whether pages are given a bridge from outside.
    func hasBridge(_ bridge: Page.Bridge) -> Bool

    /// Asks the person at the app, or a program in that person's place.
    func present(_ question: Question, for request: Request) async throws -> JSON?

    /// Counts what is registered, in the sets of its pages too.
    var registry: Registry { get }

    /// What has happened between pages and native.
    var journal: Journal { get }

    /// Whether the log takes what goes in and out.
    var isTelling: Bool { get }

    /// Lets a handler answer that a page has called by its name.
    func respond(to call: PageCall, of page: Page, by tasks: HandlerTasks?) async -> PageAnswer

    /// How a name that nobody answers gets an answer: the end of a sentence.
    func howToMock(_ call: PageCall, of page: Page) -> String

    /// How often a name was called that nobody answers, as the end of a sentence; nil where that is not worth a line.
    func timesMissed(_ name: String) -> String?

    /// What is said of a name that a page has read in vain, and whether the log does not have it yet; nil for nothing.
    func complaint(about missed: MissedName, of page: Page) -> (text: String, isNews: Bool)?

    /// What is said of a bridge that a page seems to want, and whether the log does not have it yet; nil where pages have
    /// it.
    func complaint(about hint: BridgeHint) -> (text: String, isNews: Bool)?

    /// Whether the page hears what its call came to.
    func isHeard(_ answer: PageAnswer, _ call: PageCall) -> Bool
}
