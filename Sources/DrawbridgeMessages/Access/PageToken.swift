/// The secret by which the gateway recognises its own pages: 128 bits, random in every process or of a shared secret.
public final class PageToken: Sendable {
    /// The token as it is sent in `X-Drawbridge-Token`: 32 hexadecimal digits.
    public let text: String

    private let guesses: Guesses

    /// Makes a random token.
    public convenience init() { self.init(.random128()) }

    package init(_ text: String, guesses: Guesses = Guesses()) {
        self.text = text
        self.guesses = guesses
    }

    /// Compares a token in constant time; a wrong one is not counted as a guess.
    package func matches(_ candidate: String) -> Bool { text.isSame(asSecret: candidate) }

    /// Compares a token that a caller sent, unless that caller has guessed too often.
    package func judge(_ candidate: String, from address: String?) -> Verdict {
        guesses.judge(from: address) { matches(candidate) }
    }
}
