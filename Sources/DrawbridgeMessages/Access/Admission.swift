/// A device elsewhere that was let in by a link.
public struct Admission: Sendable, Identifiable {
    /// Identifies it to people and in the tester's API; it grants no access.
    public let id: String
    /// Its address when it was let in; nil where that is unknown.
    public let address: String?
    /// What its browser calls itself, at most 200 characters.
    public let browser: String
    /// How many calls, streams, tunnels and pages' channels it held open when this was asked for.
    public package(set) var openCount = 0
}
