/// What should not be, in a sentence.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
