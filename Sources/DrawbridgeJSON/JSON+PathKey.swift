extension JSON {
    /// A coding key of any name or position.
    struct PathKey: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init(intValue: Int) {
            stringValue = "\(intValue)"
            self.intValue = intValue
        }

        /// The key that `superEncoder()` and `superDecoder()` use.
        static let parent = PathKey(stringValue: "super")
    }
}

/// `value` under its own type, where `Result` is known to be that type.
///
/// Generic code compares the two types first; a cast would look them up again at every value.
@inline(__always)
func identity<Source, Result>(_ value: Source, as target: Result.Type) -> Result {
    precondition(Source.self == Result.self)
    return unsafeBitCast(value, to: Result.self)
}
