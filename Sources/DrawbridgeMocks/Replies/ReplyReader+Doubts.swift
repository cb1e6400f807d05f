extension ReplyReader {
    /// Warnings about probable mistakes: keywords and templates within a value that is sent unchanged.
    ///
    /// Such a value is valid, for an app may have such keys and texts, but usually a `$reply` around it was forgotten.
    package static func doubts(about value: LocatedJSON) -> [ReplyFault] {
        if let members = value.members, members.contains(where: { $0.name.hasPrefix("$") }) {
            return members.flatMap { word, value -> [ReplyFault] in
                switch word {
                case "$sequence", "$cases": return (value.elements ?? []).flatMap(doubts)
                case "$choices": return (value.members ?? []).flatMap { doubts(about: $0.value) }
                default: return []
                }
            }
        }
        return doubt(about: value).map { [$0] } ?? []
    }

    private static func doubt(about value: LocatedJSON) -> ReplyFault? {
        if let text = value.json.stringValue {
            guard text.contains("{{"), let template = try? Template(.string(text)), !template.isConstant
            else { return nil }
            return ReplyFault(
                "{{…}} is sent unchanged here; to fill it in, write the value as {\"$reply\": …}",
                at: value)
        }
        if let elements = value.elements {
            if elements.contains(where: { $0.members?.contains { Self.words.contains($0.name) } == true }) {
                return ReplyFault(
                    """
                    this array is sent unchanged, with its keywords; write {"$sequence": […]} for one after the \
                    other, or {"$cases": […]}
                    """, at: value)
            }
            return elements.lazy.compactMap(doubt).first
        }
        guard let members = value.members else { return nil }
        if members.count > 1, members.allSatisfy({ Self.words.contains("$\($0.name)") }) {
            let words = members.map { "$\($0.name)" }.joined(separator: " and ")
            return ReplyFault("this object is sent unchanged; did you mean \(words)?", at: value)
        }
        if let word = members.first(where: { Self.words.contains($0.name) }) {
            return ReplyFault(
                "\(word.name) is sent unchanged here; keywords work only at the top of a mock",
                at: word.value)
        }
        return members.lazy.compactMap { doubt(about: $0.value) }.first
    }
}
