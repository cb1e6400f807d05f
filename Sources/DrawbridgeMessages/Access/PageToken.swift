/// The secret by which the gateway knows its own pages: 128 bits from the system's generator, new in every process.
public final class PageToken: Sendable {
    /// The token as it stands in `X-Drawbridge-Token`: 32 hexadecimal digits.
    public let text: String

    private let guesses: Guesses

    /// Draws a token.
    public convenience init() { self.init(guesses: Guesses()) }

    init(guesses: Guesses) {
        text = .random128()
        self.guesses = guesses
    }

    /// Compares in a time that does not depend on where the difference is; counts nothing.
    package func matches(_ candidate: String) -> Bool { text.isSame(asSecret: candidate) }

    /// Compares what a caller sent, unless that caller has guessed too often.
    package func judge(_ candidate: String, from address: String?) -> Verdict {
        guesses.judge(from: address) { matches(candidate) }
    }
}
