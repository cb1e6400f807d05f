// Reads the value of `$when`.
extension ReplyReader {
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
        guard let keyword = Grammar.condition[word.name] else {
            let hint = Nearest.hint(for: word.name, among: Grammar.condition.names)
            throw ReplyFault("$when has no word \(word.name); \(hint)", at: word.value)
        }
        try keyword.check(word.value)
        return switch word.name {
        case "$match": .match(Glob(word.value.json.stringValue ?? ""))
        case "$exists": .exists(word.value.json.boolValue ?? true)
        default: .equals(word.value.json)
        }
    }
}
