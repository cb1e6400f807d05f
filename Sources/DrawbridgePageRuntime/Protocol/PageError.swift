/// Thrown if a page did not answer a call from native.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reasons why a page did not answer.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Equatable {
        /// The page was closed, was reloaded, or navigated to another address.
        case closed
        /// The page is suspended in the browser's back/forward cache.
        case frozen
        /// The connection was lost, and the page did not reconnect.
        case lost
        /// The gateway was stopped before the page answered.
        case stopped
        /// The page did not answer before the deadline.
        case deadline
        /// The page has no such handler, its script threw, or its answer is not of the type that was asked for.
        case failed(code: Int)
        /// The page is blocked by a synchronous request to the handler that calls it: both would wait forever.
        case waiting
        /// Too much is already waiting to be sent to the page, or the message is larger than the limit.
        case full
    }

    /// The reason, for a `switch`.
    public let reason: Reason
    /// The reason in a sentence, with details.
    public let message: String

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    package static let left = PageError(
        .closed, "the page was closed, reloaded, or navigated to another address")

    package static let lost = PageError(.lost, "the page lost its connection, and did not reconnect")

    package static let followed = PageError(
        .lost, "the page was disconnected too long, and has started a new life")

    package static let frozen = PageError(
        .frozen, "the page is suspended in the browser's back/forward cache")

    /// How long a page may be disconnected before its pending calls fail.
    package static let usualPatience = Duration.seconds(5)

    /// The page was disconnected for ``usualPatience``, so its pending calls fail.
    package static let away = PageError(
        .lost,
        "the page has been disconnected for \(usualPatience): its browser sleeps or has quit, and it may reconnect"
    )

    /// The same as ``message``.
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
