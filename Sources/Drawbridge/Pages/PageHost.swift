import Logging

/// Whom a page speaks to, as far as the page itself asks for it: a ``Gateway``.
protocol PageHost: Answerer {
    /// The pages that speak to it.
    var pages: Pages { get }

    /// Counts what is registered, in the sets of its pages too.
    var registry: Registry { get }

    /// Whether the log takes what goes in and out.
    var isTelling: Bool { get }

    /// Lets a handler answer that a page has called by its name.
    func answer(_ call: PageCall, of page: Page, by tasks: HandlerTasks?) async -> PageAnswer

    /// How a name that nobody answers gets an answer: the end of a sentence.
    func howToMock(_ call: PageCall, of page: Page) -> String

    /// What is said of a name that a page has read in vain, and whether the log does not have it yet; nil for nothing.
    func complaint(about missed: MissedName, of page: Page) -> (text: String, isNews: Bool)?

    /// Whether the page hears what its call came to.
    func isHeard(_ answer: PageAnswer, _ call: PageCall) -> Bool
}
