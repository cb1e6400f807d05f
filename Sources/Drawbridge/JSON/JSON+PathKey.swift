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

/// `value` under its own type, where `Target` is known to be that type.
///
/// Generic code compares the two types first; a cast would look them up again at every value.
@inline(__always)
func identity<Source, Target>(_ value: Source, as target: Target.Type) -> Target {
    precondition(Source.self == Target.self)
    return unsafeBitCast(value, to: Target.self)
}
