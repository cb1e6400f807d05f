extension JSONText {
    enum Shape: String {
        case nothing
        case value = "a single value"
        case array = "an array"
        case object = "an object"
    }

    /// A value that is begun and not finished.
    struct Place {
        /// Identifies the place; never reused.
        let id: Int
        let start: Int
        /// The number of names when it began.
        let firstName: Int
        let firstInsertion: Int
        var shape = Shape.nothing
        var count = 0
    }
}
