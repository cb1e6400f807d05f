/// The secret by which the gateway knows its own pages: 128 bits from the system's generator, new in every process.
public struct PageToken: Sendable {
    /// The token as it stands in `X-Drawbridge-Token`: 32 hexadecimal digits.
    public let text: String

    /// Draws a token.
    public init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let half = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }.joined()
    }

    /// Compares in a time that does not depend on where the difference is.
    func matches(_ candidate: String) -> Bool {
        let own = text.utf8
        guard candidate.utf8.count == own.count else { return false }
        return zip(candidate.utf8, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
