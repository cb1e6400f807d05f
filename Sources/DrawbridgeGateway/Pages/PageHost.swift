import Logging

/// What a page needs of the ``Gateway`` that it speaks to.
package protocol PageHost: Answerer {
    /// The pages that speak to it.
    var pages: Pages { get }

    /// Whether a text is the secret that pages have.
    func isPageToken(_ text: String) -> Bool

    /// Whether pages get a bridge of `--bridge`.
    func hasBridge(_ bridge: Page.Bridge) -> Bool

    /// Asks the person at the app, or a program in that person's place.
    func present(_ question: Question, for request: Request) async throws -> JSON?

    /// Counts what is registered, in the sets of its pages too.
    var registry: Registry { get }

    /// What has happened between pages and native.
    var journal: Journal { get }

    /// Whether the log takes the level `debug`.
    var isTelling: Bool { get }

    /// Lets a handler answer that a page has called by its name.
    func respond(to call: PageCall, of page: Page, by tasks: HandlerTasks?) async -> PageAnswer

    /// What to do for a name to be answered, as the end of a sentence.
    func howToMock(_ call: PageCall, of page: Page) -> String

    /// How often a name was called that nobody answers, as the end of a sentence; nil where that is not worth a line.
    func timesMissed(_ name: String) -> String?

    /// The message about a name that a page has looked up in vain, and whether it is new to the log; nil for none.
    func complaint(about missed: MissedName, of page: Page) -> (text: String, isNews: Bool)?

    /// The message about a bridge that a page seems to need, and whether it is new to the log; nil where pages have it.
    func complaint(about hint: BridgeHint) -> (text: String, isNews: Bool)?

    /// Whether the page gets the outcome of its call.
    func isHeard(_ answer: PageAnswer, _ call: PageCall) -> Bool
}
