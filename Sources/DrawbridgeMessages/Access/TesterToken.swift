import HTTPGrammar
import HTTPTypes

/// The secret of programs that test: opens the tester's API below `/__drawbridge__/`, sent as `Authorization: Bearer`.
///
/// It is another secret than the pages' own, and no page gets it.
public final class TesterToken: Sendable {
    /// The token as it stands behind `Bearer`.
    public let text: String

    /// Whether a person chose it; what was chosen is never printed.
    package let isChosen: Bool

    private let guesses = Guesses()

    /// Draws a token: 32 hexadecimal digits, 128 bits from the system's generator.
    public init() {
        text = .random128()
        isChosen = false
    }

    /// Takes a token that somebody chose.
    ///
    /// - Parameter text: at least 32 characters of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`; nil comes of any
    ///   other.
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
