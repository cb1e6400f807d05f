/// Reads the reply for a name: any JSON value, or an object whose keys begin with `$`.
package struct ReplyReader {
    private let name: String
    private let trust: ReplyTrust
    /// How many sequences of each text were read.
    private var sequences: [[UInt8]: Int] = [:]

    private init(_ name: String, trust: ReplyTrust) {
        self.name = name
        self.trust = trust
    }

    /// Reads the reply for a name.
    static func reply(
        _ value: LocatedJSON, for name: String, trust: ReplyTrust = .written
    ) throws(ReplyFault) -> Reply {
        var reader = Self(name, trust: trust)
        return try reader.reply(value)
    }

    private static let outcomes = [
        "$reply", "$text", "$error", "$silence", "$missing", "$pass", "$sequence", "$cases", "$ask",
        "$forward",
        "$response",
    ]
    static let words =
        outcomes + ["$delay", "$when", "$progress", "$every", "$choices", "$within", "$then"]

    /// The longest delay: a day of milliseconds.
    private static let longestDelay = 86_400_000

    /// - Parameter isCase: a case may have a `$when` beside its outcome.
    private mutating func reply(_ value: LocatedJSON, isCase: Bool = false) throws(ReplyFault) -> Reply {
        guard let words = try Self.words(of: value) else {
            return Reply(outcome: .value(value.json.bytes))
        }
        for (word, place) in words.sorted(by: { $0.key < $1.key }) where !Self.words.contains(word) {
            throw Self.unknown(word, at: place)
        }
        if let when = words["$when"], !isCase {
            throw ReplyFault(
                "$when stands in a case: write {\"$cases\": [{\"$when\": …, \"$reply\": …}]}", at: when)
        }
        let said = Self.outcomes.filter { words[$0] != nil }
        guard said.count <= 1 else {
            let both = said.joined(separator: " and ")
            throw ReplyFault("\(both) cannot be used together; keep one, or put them into $cases", at: value)
        }
        guard let word = said.first, let place = words[word] else {
            throw ReplyFault(
                "what is answered is missing: write \"$reply\": … beside it, or one of \(Self.list(Self.outcomes))",
                at: value)
        }
        var reply = Reply(outcome: try outcome(word, place, words))
        try Self.check(words, beside: word, at: value)
        reply.delay = try words["$delay"].map { place throws(ReplyFault) in try Self.delay(place) }
        for element in try Self.elements(of: words["$progress"]) {
            reply.progress.append(try Self.template(element))
        }
        if let then = words["$then"] { reply.then = try Self.steps(then) }
        if let every = words["$every"] { reply.every = try Self.milliseconds(every) }
        return reply
    }

    /// Checks that the other words may stand beside an outcome.
    private static func check(
        _ words: [String: LocatedJSON], beside outcome: String, at value: LocatedJSON
    ) throws(ReplyFault) {
        for (word, place) in words.sorted(by: { $0.key < $1.key }) {
            switch word {
            case "$delay", "$progress", "$every", "$then":
                if ["$sequence", "$cases", "$ask"].contains(outcome) {
                    throw ReplyFault(
                        "\(word) stands beside one answer; write it into each of \(outcome == "$ask" ? "$choices" : outcome)",
                        at: place)
                }
                if ["$pass", "$missing", "$silence"].contains(outcome) {
                    throw ReplyFault(
                        "\(word) stands beside an answer, and \(outcome) is none; leave one of them out",
                        at: place)
                }
                if word == "$every", words["$progress"] == nil {
                    throw ReplyFault(
                        "$every says how long is between the values of $progress; name these", at: place)
                }
            case "$choices", "$within":
                if outcome != "$ask" {
                    throw ReplyFault(
                        "\(word) stands beside $ask: {\"$ask\": \"Delete?\", \"$choices\": {…}}", at: place)
                }
            default: break
            }
        }
    }

    private static func elements(of value: LocatedJSON?) throws(ReplyFault) -> [LocatedJSON] {
        guard let value else { return [] }
        guard let elements = value.elements else {
            throw ReplyFault("$progress is an array of values, such as [10, 50, 90]", at: value)
        }
        return elements
    }

    /// The words of an object whose keys begin with `$`; nil for any other value.
    private static func words(of value: LocatedJSON) throws(ReplyFault) -> [String: LocatedJSON]? {
        guard let members = value.members, members.contains(where: { $0.name.hasPrefix("$") }) else {
            return nil
        }
        for (name, place) in members where !name.hasPrefix("$") {
            throw ReplyFault(
                """
                \(name) stands beside words that begin with $; write what is answered as "$reply": {"\(name)": …}
                """, at: place)
        }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    private static func unknown(_ word: String, at place: LocatedJSON) -> ReplyFault {
        let near = Nearest.of(word, among: words).map { "did you mean \($0)?" }
        return ReplyFault(
            """
            unknown keyword \(word) (\(near ?? "there are \(list(words))")). To answer a value that has this key, wrap \
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
        case "$silence": try Self.isSaid(value, .silence, word)
        case "$missing": try Self.isSaid(value, .missing, word)
        case "$pass": try Self.isSaid(value, .pass, word)
        case "$sequence": .sequence(try sequence(value), place(of: value))
        case "$ask": .ask(try ask(value, words))
        case "$forward": .forward(try Self.forward(value, trust: trust))
        case "$response": .raw(try Self.raw(value, trust: trust))
        default: .cases(try cases(value))
        }
    }

    private mutating func place(of sequence: LocatedJSON) -> Reply.Place {
        let text = sequence.json.bytes
        defer { sequences[text, default: 0] += 1 }
        return Reply.Place(name: name, text: text, number: sequences[text, default: 0])
    }

    private static func isSaid(
        _ value: LocatedJSON, _ outcome: Reply.Outcome, _ word: String
    ) throws(ReplyFault) -> Reply.Outcome {
        guard value.json.boolValue == true else {
            throw ReplyFault("\(word) is true or not there", at: value)
        }
        return outcome
    }

    static func template(_ value: LocatedJSON, isWritten: Bool = false) throws(ReplyFault) -> Template {
        do {
            return try Template(value.json, isWritten: isWritten)
        } catch {
            throw ReplyFault(
                """
                unknown template {{\(error.word)}}; there are {{input}}, {{input.name}}, {{uuid}} and {{userAgent}}; \
                to answer braces as they are, leave $reply out, or write {{"{{"}} for them
                """, at: value)
        }
    }

    static func isMilliseconds(_ value: LocatedJSON) -> Int? {
        value.json.numberValue?.intValue.flatMap { (0...longestDelay).contains($0) ? $0 : nil }
    }

    static func milliseconds(_ value: LocatedJSON) throws(ReplyFault) -> Int {
        if let count = isMilliseconds(value) { return count }
        throw ReplyFault("it is milliseconds, up to a day of them: 300", at: value)
    }

    private static func delay(_ value: LocatedJSON) throws(ReplyFault) -> ClosedRange<Int> {
        if let one = isMilliseconds(value) { return one...one }
        if let both = value.elements?.map(isMilliseconds), both.count == 2, let least = both[0],
            let most = both[1], least <= most
        {
            return least...most
        }
        throw ReplyFault(
            "$delay is milliseconds, up to a day of them: 300, or from the least to the most: [100, 900]",
            at: value)
    }

    private mutating func ask(
        _ value: LocatedJSON, _ words: [String: LocatedJSON]
    ) throws(ReplyFault) -> Reply.Ask {
        let example =
            "{\"$ask\": \"Delete?\", \"$choices\": {\"delete\": {\"ok\": true}, \"keep\": {\"ok\": false}}}"
        guard value.json.stringValue != nil else {
            throw ReplyFault("$ask is what a person reads: \(example)", at: value)
        }
        guard let choices = words["$choices"]?.members, !choices.isEmpty else {
            throw ReplyFault(
                "$ask needs $choices, an object of replies: \(example)", at: words["$choices"] ?? value)
        }
        var replies: [(name: String, reply: Reply)] = []
        for (name, value) in choices { replies.append((name, try reply(value))) }
        return Reply.Ask(
            message: try Self.template(value),
            within: try words["$within"].map { value throws(ReplyFault) in try Self.milliseconds(value) },
            choices: replies)
    }

    private mutating func sequence(_ value: LocatedJSON) throws(ReplyFault) -> [Reply] {
        guard let elements = value.elements, !elements.isEmpty else {
            throw ReplyFault(
                "$sequence is an array of replies, such as [{\"$error\": {\"code\": 1}}, \"done\"]", at: value
            )
        }
        var replies: [Reply] = []
        for element in elements { replies.append(try reply(element)) }
        return replies
    }

    private mutating func cases(_ value: LocatedJSON) throws(ReplyFault) -> [Reply.Case] {
        let example = "[{\"$when\": {\"channel\": \"alipay\"}, \"$reply\": 6001}, {\"$reply\": 0}]"
        guard let elements = value.elements, !elements.isEmpty else {
            throw ReplyFault("$cases is an array of replies, such as \(example)", at: value)
        }
        var cases: [Reply.Case] = []
        for element in elements {
            if let last = cases.last, last.condition == nil {
                throw ReplyFault(
                    "the case before this one has no $when and fits always, so this one is never reached; move it up",
                    at: element)
            }
            let when = element.members?.first { $0.name == "$when" }?.value
            let condition = try when.map { value throws(ReplyFault) in try Self.condition(value) }
            cases.append(Reply.Case(condition: condition, reply: try reply(element, isCase: true)))
        }
        return cases
    }

    static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
