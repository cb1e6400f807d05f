/// A text of replies: `{"replies": {"getUser": {"nick": "Ann"}}}`.
package struct ReplyFile: Sendable {
    /// What is answered for which name.
    package let replies: ReplyNames

    /// The keys that it reads; an object may have others, which are somebody else's.
    package static let keys: Set<String> = ["$schema", "replies"]

    /// - Throws: what is wrong, and where.
    package init(_ value: LocatedJSON) throws(ReplyFault) {
        guard let members = value.members else {
            throw ReplyFault(
                "a file of replies is an object: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value
            )
        }
        let own = members.first { $0.name == "replies" }?.value
        replies = try own.map { value throws(ReplyFault) in try ReplyNames(value) } ?? ReplyNames()
    }
}
