/// Reads the reply for a name: any JSON value, or an object whose keys begin with `$`.
package struct ReplyReader {
    private let name: String
    private let trust: ReplyTrust
    private var sequences: [String: Int] = [:]

    static func reply(
        _ value: LocatedJSON, for name: String, trust: ReplyTrust = .written
    ) throws(ReplyFault) -> Reply {
        var reader = Self(name: name, trust: trust)
        return try reader.reply(value)
    }

    static let words = Set(Grammar.reply.names)

    /// - Parameter isCase: whether the reply is an element of `$cases`, where `$when` is allowed.
    private mutating func reply(_ value: LocatedJSON, isCase: Bool = false) throws(ReplyFault) -> Reply {
        guard let members = value.members, members.contains(where: { $0.name.hasPrefix("$") }) else {
            return Reply(outcome: .value(value.json.bytes))
        }
        for (name, place) in members where Grammar.reply[name] == nil { throw Self.unknown(name, at: place) }
        let words = try Grammar.reply.read(members, of: value, trust: trust)
        if let when = words["$when"], !isCase { throw ReplyFault(Grammar.whenIsOfACase, at: when) }
        let said = Grammar.reply.leading.filter { words[$0.name] != nil }
        guard said.count <= 1 else {
            let both = said.map(\.name).joined(separator: " and ")
            throw ReplyFault("\(both) cannot be used together; keep one, or put them into $cases", at: value)
        }
        guard let outcome = said.first, let place = words[outcome.name] else {
            let all = Grammar.reply.leading.map(\.name).joined(separator: ", ")
            throw ReplyFault(
                "the answer is missing: add \"$reply\": …, or one of \(all)", at: value)
        }
        try Self.check(members, beside: outcome)
        var reply = Reply(outcome: try self.outcome(outcome.name, place, words))
        reply.delay = words["$delay"]?.span
        for element in words["$progress"]?.elements ?? [] {
            reply.progress.append(try Self.template(element))
        }
        if let then = words["$then"] { reply.then = try Self.steps(then) }
        reply.every = words["$every"]?.whole ?? reply.every
        return reply
    }

    private static func check(
        _ members: [(name: String, value: LocatedJSON)], beside outcome: Keyword
    ) throws(ReplyFault) {
        for (word, place) in members where word != outcome.name && outcome.beside?.contains(word) != true {
            let problem =
                switch (word, outcome.name) {
                case ("$choices", _), ("$within", _):
                    "\(word) is only allowed with $ask: {\"$ask\": \"Delete?\", \"$choices\": {…}}"
                case (_, "$ask"): "\(word) cannot be combined with $ask; write it into each of $choices"
                case (_, "$sequence"), (_, "$cases"):
                    "\(word) cannot be combined with \(outcome.name); write it into each of its replies"
                default: "\(word) cannot be combined with \(outcome.name); leave one of them out"
                }
            throw ReplyFault(problem, at: place)
        }
        if let every = members.first(where: { $0.name == "$every" }),
            !members.contains(where: { $0.name == "$progress" })
        {
            throw ReplyFault(
                "$every needs $progress: it is the time between the values of $progress", at: every.value)
        }
    }

    private static func unknown(_ word: String, at place: LocatedJSON) -> ReplyFault {
        guard word.hasPrefix("$") else {
            return ReplyFault(
                """
                \(word) cannot be combined with keywords that begin with $; put the answer into "$reply": {"\(word)": …}
                """, at: place)
        }
        return ReplyFault(
            """
            unknown keyword \(word) (\(Nearest.hint(for: word, among: Grammar.reply.names))). To answer a value that has this key, wrap \
            it in "$reply"
            """, at: place)
    }

    private mutating func outcome(
        _ word: String, _ value: LocatedJSON, _ words: [String: LocatedJSON]
    ) throws(ReplyFault) -> Reply.Outcome {
        switch word {
        case "$reply": .template(try Self.template(value))
        case "$text": .template(try Self.template(value, isWritten: true))
        case "$error": .error(try Self.failure(value))
        case "$silence": .silence
        case "$missing": .missing
        case "$pass": .pass
        case "$sequence":
            .sequence(
                try (value.elements ?? []).map { element throws(ReplyFault) in try reply(element) },
                place(of: value))
        case "$ask": .ask(try ask(value, words))
        case "$forward": .forward(try Self.forward(value))
        case "$response": .raw(try Self.raw(value, trust: trust))
        default: .cases(try cases(value))
        }
    }

    private mutating func place(of sequence: LocatedJSON) -> Reply.Place {
        let text = String(decoding: sequence.json.bytes, as: UTF8.self)
        defer { sequences[text, default: 0] += 1 }
        return Reply.Place(name: name, text: text, number: sequences[text, default: 0])
    }

    static func template(_ value: LocatedJSON, isWritten: Bool = false) throws(ReplyFault) -> Template {
        do {
            return try Template(value.json, isWritten: isWritten)
        } catch {
            throw ReplyFault(
                """
                unknown template {{\(error.word)}}; \(Grammar.templatesAreThese); to answer braces as \
                they are, leave $reply out, or write {{"{{"}} for them
                """, at: value)
        }
    }

    private mutating func ask(
        _ value: LocatedJSON, _ words: [String: LocatedJSON]
    ) throws(ReplyFault) -> Reply.Ask {
        guard let choices = words["$choices"]?.members else {
            throw ReplyFault(Grammar.choicesAreWanted, at: value)
        }
        let replies = try choices.map { name, value throws(ReplyFault) in (name, try reply(value)) }
        return (try Self.template(value), words["$within"]?.whole, replies)
    }

    private mutating func cases(_ value: LocatedJSON) throws(ReplyFault) -> [Reply.Case] {
        var cases: [Reply.Case] = []
        for element in value.elements ?? [] {
            if let last = cases.last, last.condition == nil {
                throw ReplyFault(
                    "the case before this one has no $when and fits always, so this one is never reached; move it up",
                    at: element)
            }
            let when = element.members?.first { $0.name == "$when" }?.value
            let condition = try when.map { value throws(ReplyFault) in try Self.condition(value) }
            cases.append((condition, try reply(element, isCase: true)))
        }
        return cases
    }
}
