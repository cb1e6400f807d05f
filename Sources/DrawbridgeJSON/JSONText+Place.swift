extension JSONText {
    /// What has been written to one place.
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
        /// Where it begins in the text.
        let start: Int
        /// The number of names when it began.
        let firstName: Int
        /// The number of insertions when it began.
        let firstInsertion: Int
        var shape = Shape.nothing
        /// The number of its elements or members.
        var count = 0
    }
}
