/// The secret of test programs for the tester's API below `/__drawbridge__/`, sent as `Authorization: Bearer`.
///
/// It differs from the page token, and no page gets it.
public final class TesterToken: Sendable {
    /// The token as it is sent after `Bearer`.
    public let text: String

    /// Whether a person chose the token, which is then never printed.
    package let isChosen: Bool

    private let guesses = Guesses()

    /// Makes a random token: 32 hexadecimal digits, 128 bits from the system's generator.
    public init() {
        text = .random128()
        isChosen = false
    }

    /// Uses a token that a person has chosen.
    ///
    /// - Parameter text: at least 32 characters of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`; any other text
    ///   gives nil.
    public init?(_ text: String) {
        guard text.utf8.count >= 32, text.utf8.allSatisfy({ $0.isWord || $0 == UInt8(ascii: "-") }) else {
            return nil
        }
        self.text = text
        isChosen = true
    }

    /// Compares the token of a request, unless its caller has guessed too often; nil where it has none.
    package func judge(_ request: Request, from address: String?) -> Verdict? {
        guard let candidate = request.bearerToken else { return nil }
        return guesses.judge(from: address) { text.isSame(asSecret: candidate) }
    }
}

extension Request {
    /// The token in `Authorization: Bearer` (RFC 6750, section 2.1); nil where there is none.
    package var bearerToken: String? {
        guard let field = headers.value(.authorization) else { return nil }
        // The name of a scheme is case-insensitive (RFC 9110, section 11.1).
        guard field.utf8.count > 7, field.prefix(7).lowercased() == "bearer " else { return nil }
        return String(field.dropFirst(7))
    }
}
