// Reads the value of `$when`.
extension ReplyReader {
    private static let conditions = ["$match", "$exists", "$equals"]

    package static func condition(_ value: LocatedJSON) throws(ReplyFault) -> Condition {
        if let elements = value.elements {
            var conditions: [Condition] = []
            for element in elements { conditions.append(try condition(element)) }
            return .elements(conditions)
        }
        guard let members = value.members else { return .scalar(value.json) }
        guard let word = members.first(where: { $0.name.hasPrefix("$") }) else {
            var conditions: [(name: String, condition: Condition)] = []
            for (name, value) in members { conditions.append((name, try condition(value))) }
            return .members(conditions)
        }
        guard members.count == 1 else {
            throw ReplyFault(
                "\(word.name) stands alone in its object; name each member's condition for itself",
                at: word.value)
        }
        switch word.name {
        case "$match":
            guard let text = word.value.json.stringValue else {
                throw ReplyFault(
                    "$match is a text, in which * stands for any characters: \"item-*\"", at: word.value)
            }
            return .match(Glob(text))
        case "$exists":
            guard let isWanted = word.value.json.boolValue else {
                throw ReplyFault("$exists is true or false", at: word.value)
            }
            return .exists(isWanted)
        case "$equals": return .equals(word.value.json)
        default:
            let near = Nearest.of(word.name, among: conditions).map { "did you mean \($0)?" }
            throw ReplyFault(
                "$when has no word \(word.name); \(near ?? "there are \(list(conditions))")", at: word.value)
        }
    }
}
