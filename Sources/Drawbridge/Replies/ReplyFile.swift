/// A text of replies: `{"replies": {"getUser": {"nick": "Ann"}}}`.
package struct ReplyFile: Sendable {
    /// What is answered for which name.
    package let replies: ReplyNames

    /// The keys that it reads.
    package static let keys: Set<String> = ["$schema", "replies"]

    /// - Parameter isAlone: there is nothing else in the text; other keys in it are mistakes.
    /// - Throws: what is wrong, and where.
    package init(_ value: LocatedJSON, isAlone: Bool = false) throws(ReplyFault) {
        guard let members = value.members else {
            throw ReplyFault(
                "a file of replies is an object: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value
            )
        }
        if isAlone { try Self.check(members, of: value) }
        let own = members.first { $0.name == "replies" }?.value
        replies = try own.map { value throws(ReplyFault) in try ReplyNames(value) } ?? ReplyNames()
    }

    private static func check(
        _ members: [(name: String, value: LocatedJSON)], of value: LocatedJSON
    ) throws(ReplyFault) {
        for (name, value) in members where !keys.contains(name) {
            let isOurs = ["reply", "mock", "mocks"].contains(name)
            let near = isOurs ? "replies" : Nearest.of(name, among: keys.sorted())
            throw ReplyFault(
                "\(name) is no part of a file of replies; \(near.map { "did you mean \($0)?" } ?? "names stand below: {\"replies\": {\"\(name)\": …}}")",
                at: value)
        }
        guard members.contains(where: { $0.name == "replies" }) else {
            throw ReplyFault(
                "there are no replies in it: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value)
        }
    }
}
