/// A device elsewhere that was let in by a link.
public struct Admission: Sendable, Identifiable {
    /// Names it to people and to the tester's API; it opens nothing.
    public let id: String
    /// Where it was when it was let in; nil where nobody knows.
    public let address: String?
    /// What its browser calls itself, at most 200 characters.
    public let browser: String
    /// How many calls, streams, tunnels and pages' channels it held open when this was asked for.
    public package(set) var openCount = 0
}
