extension JSON: ExpressibleByBooleanLiteral {
    /// Makes a value of `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Makes a number of a whole literal.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Makes a number of a literal with a fraction; one too large for `Double` becomes `null`.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
}

extension JSON: ExpressibleByStringLiteral {
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Makes an object; where a name is repeated, its last value counts.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements)) }
}
