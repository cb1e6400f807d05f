/// No value: the input of a handler that takes none, the output of one that only acts.
///
/// As input it takes anything and ignores it; as output there is no `data` in the envelope and `null` elsewhere.
public struct Nothing: Codable, Sendable, Hashable {
    /// Makes the only value.
    public init() {}

    /// Ignores the input.
    public init(from decoder: any Decoder) {}

    /// Writes `null`.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
