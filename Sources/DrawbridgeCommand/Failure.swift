/// Why the command cannot do what it is asked: one line that says what and what to do.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
