/// Reads the reply for a name: any JSON value, or an object whose keys begin with `$`.
struct ReplyReader {
    private let name: String
    /// How many sequences of each text were read.
    private var sequences: [[UInt8]: Int] = [:]

    private init(_ name: String) { self.name = name }

    /// Reads the reply for a name.
    static func reply(_ value: LocatedJSON, for name: String) throws(ReplyFault) -> Reply {
        var reader = Self(name)
        return try reader.reply(value)
    }

    private static let outcomes = [
        "$reply", "$error", "$silence", "$missing", "$pass", "$sequence", "$cases",
    ]
    private static let words = outcomes + ["$delay", "$when"]

    /// The longest delay: a day of milliseconds.
    private static let longestDelay = 86_400_000

    /// - Parameter isCase: a case may have a `$when` beside its outcome.
    private mutating func reply(_ value: LocatedJSON, isCase: Bool = false) throws(ReplyFault) -> Reply {
        guard let words = try Self.words(of: value) else {
            return Reply(outcome: .value(value.json.bytes), delay: nil)
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
            throw ReplyFault("\(both) are two outcomes; keep one, or put them into $cases", at: value)
        }
        guard let word = said.first, let place = words[word] else {
            throw ReplyFault(
                "what is answered is missing: write \"$reply\": … beside it, or one of \(Self.list(Self.outcomes))",
                at: value)
        }
        let delay = try words["$delay"].map { place throws(ReplyFault) in try Self.delay(place) }
        if delay != nil, ["$sequence", "$cases"].contains(word) {
            throw ReplyFault("$delay stands beside one answer; write it into each of \(word)", at: value)
        }
        if delay != nil, ["$pass", "$missing", "$silence"].contains(word) {
            throw ReplyFault(
                "$delay stands beside an answer, and \(word) is none; leave one of them out", at: value)
        }
        return Reply(outcome: try outcome(word, place), delay: delay)
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
            there is no word \(word); \(near ?? "there are \(list(words))"); a value that has such a key itself \
            stands in "$reply": …
            """, at: place)
    }

    private mutating func outcome(
        _ word: String, _ value: LocatedJSON
    ) throws(ReplyFault) -> Reply.Outcome {
        switch word {
        case "$reply": try .template(Self.template(value))
        case "$error": .error(try Self.failure(value))
        case "$silence": try Self.isSaid(value, .silence, word)
        case "$missing": try Self.isSaid(value, .missing, word)
        case "$pass": try Self.isSaid(value, .pass, word)
        case "$sequence": .sequence(try sequence(value), place(of: value))
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

    private static func template(_ value: LocatedJSON) throws(ReplyFault) -> Template {
        do {
            return try Template(value.json)
        } catch {
            throw ReplyFault(
                """
                {{\(error.word)}} stands for nothing; there are {{input}}, {{input.name}}, {{uuid}} and {{userAgent}}; \
                a value with braces of its own is written without $reply
                """, at: value)
        }
    }

    private static func failure(_ value: LocatedJSON) throws(ReplyFault) -> Reply.Failure {
        let example = "{\"code\": 1001, \"message\": \"app not ready\"}"
        guard let members = value.members else {
            throw ReplyFault("$error is an object, such as \(example)", at: value)
        }
        var code: Int?
        var message: Template?
        var data: Template?
        for (name, value) in members {
            switch name {
            case "code":
                guard let number = value.json.numberValue?.intValue else {
                    throw ReplyFault("the code of an $error is a whole number", at: value)
                }
                code = number
            case "message":
                guard value.json.stringValue != nil else {
                    throw ReplyFault("the message of an $error is a text", at: value)
                }
                message = try template(value)
            case "data": data = try template(value)
            default:
                throw ReplyFault(
                    "an $error has code, message and data, and no \(name); put it into data", at: value)
            }
        }
        guard let code else { throw ReplyFault("an $error needs a code: \(example)", at: value) }
        return Reply.Failure(code: code, message: message, data: data)
    }

    private static func delay(_ value: LocatedJSON) throws(ReplyFault) -> ClosedRange<Int> {
        func milliseconds(_ value: LocatedJSON) -> Int? {
            value.json.numberValue?.intValue.flatMap { (0...longestDelay).contains($0) ? $0 : nil }
        }
        if let one = milliseconds(value) { return one...one }
        if let both = value.elements?.map(milliseconds), both.count == 2, let least = both[0],
            let most = both[1],
            least <= most
        {
            return least...most
        }
        throw ReplyFault(
            "$delay is milliseconds, up to a day of them: 300, or from the least to the most: [100, 900]",
            at: value)
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

    // MARK: Doubts

    /// What may have been meant otherwise: words and templates within a value that is answered as it stands.
    ///
    /// Such a value is right, for an app may have keys and texts of this kind; most often a word was forgotten around it.
    static func doubts(about value: LocatedJSON) -> [ReplyFault] {
        if let members = value.members, members.contains(where: { $0.name.hasPrefix("$") }) {
            return members.flatMap { word, value -> [ReplyFault] in
                guard word == "$sequence" || word == "$cases" else { return [] }
                return (value.elements ?? []).flatMap(doubts)
            }
        }
        return doubt(about: value).map { [$0] } ?? []
    }

    private static func doubt(about value: LocatedJSON) -> ReplyFault? {
        if let text = value.json.stringValue {
            guard text.contains("{{"), let template = try? Template(.string(text)), !template.isConstant
            else {
                return nil
            }
            return ReplyFault(
                "{{…}} is answered as it stands here; to fill it in, write the value as {\"$reply\": …}",
                at: value)
        }
        if let elements = value.elements {
            if elements.contains(where: { $0.members?.contains { Self.words.contains($0.name) } == true }) {
                return ReplyFault(
                    """
                    this array is answered as it stands, with its words; write {"$sequence": […]} for one after the \
                    other, or {"$cases": […]}
                    """, at: value)
            }
            return elements.lazy.compactMap(doubt).first
        }
        guard let members = value.members else { return nil }
        if let word = members.first(where: { Self.words.contains($0.name) }) {
            return ReplyFault(
                "\(word.name) is answered as it stands here; words count at the top of a reply alone",
                at: word.value)
        }
        return members.lazy.compactMap { doubt(about: $0.value) }.first
    }

    // MARK: Conditions

    private static let conditions = ["$match", "$exists", "$equals"]

    static func condition(_ value: LocatedJSON) throws(ReplyFault) -> Condition {
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

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
