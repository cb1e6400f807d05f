package import DrawbridgeMessages
import HTTPTypes

/// Why a page did not answer.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Equatable {
        /// The page was closed, reloaded, or went on to another address.
        case closed
        /// The browser keeps the page for its back button, where it does not run.
        case frozen
        /// The connection broke, and the page did not come back.
        case lost
        /// The gateway stopped.
        case stopped
        /// No answer came in time.
        case deadline
        /// The page has no such handler, or its script threw.
        case failed(code: Int)
        /// The page is waiting for the very handler that calls it, in a synchronous request.
        case waiting
        /// So much waits for the page that nothing more is kept, or the message is longer than any may be.
        case full
    }

    /// What happened.
    public let reason: Reason
    /// The same in a sentence.
    public let message: String

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    package static let left = PageError(
        .closed, "the page was closed, reloaded, or went on to another address")

    package static let lost = PageError(.lost, "the connection to the page broke, and it did not come back")

    package static let followed = PageError(.lost, "the page was away too long, and has begun anew")

    package static let frozen = PageError(
        .frozen, "the page is kept for the browser's back button, and does not run there")

    /// How long a page may be without a connection before its pending calls fail.
    package static let usualPatience = Duration.seconds(5)

    /// It has been without a connection for so long that its pending calls fail.
    package static let away = PageError(
        .lost,
        "the page has had no connection for \(usualPatience), and may come back: it sleeps, or its browser quit"
    )

    /// The sentence.
    public var description: String { message }
}

extension HTTPError {
    package init(_ error: PageError) {
        switch error.reason {
        case .deadline: self.init(.gatewayTimeout, error.message)
        case .failed(let code): self.init(.badGateway, error.message, code: code)
        case .closed, .frozen, .lost: self.init(.gone, error.message)
        case .waiting: self.init(.conflict, error.message)
        case .full, .stopped: self.init(.serviceUnavailable, error.message)
        }
    }
}
