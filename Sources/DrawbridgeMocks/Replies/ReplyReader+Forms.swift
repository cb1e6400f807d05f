// Readers of `$error`, `$forward`, `$response`, and of steps.
extension ReplyReader {
    static func failure(_ value: LocatedJSON) throws(ReplyFault) -> Reply.Failure {
        let parts = try Grammar.error.read(value.members ?? [], of: value)
        let template: (LocatedJSON) throws(ReplyFault) -> Template = { value throws(ReplyFault) in
            try Self.template(value)
        }
        return (
            parts["code"]?.whole ?? 0, try parts["message"].map(template), try parts["data"].map(template)
        )
    }

    static func forward(_ value: LocatedJSON) throws(ReplyFault) -> ForwardTarget {
        if let target = value.json.stringValue.flatMap(ForwardTarget.init) { return target }
        throw Grammar.reply.fault("$forward", at: value)
    }

    static func raw(_ value: LocatedJSON, trust: ReplyTrust) throws(ReplyFault) -> RawReply {
        let parts = try Grammar.response.read(value.members ?? [], of: value, trust: trust)
        let bodies = Grammar.response.leading.compactMap { word in parts[word.name].map { (word.name, $0) } }
        guard bodies.count < 2 else {
            throw ReplyFault("json, body and file cannot be combined; keep one", at: bodies[1].1)
        }
        let status = parts["status"]?.whole ?? 200
        if !bodies.isEmpty, status == 204 || status == 205 {
            throw ReplyFault("an answer with status \(status) has no body; leave it out", at: value)
        }
        let headers = try parts["headers"].map(Self.fields) ?? HTTPFields()
        let body = try bodies.first.map { body throws(ReplyFault) in try Self.body(body.0, body.1, trust) }
        return RawReply(status: status, headers: headers, body: body ?? .none)
    }

    private static func body(
        _ word: String, _ value: LocatedJSON, _ trust: ReplyTrust
    ) throws(ReplyFault) -> RawReply.Body {
        if word == "json" { return .json(try template(value)) }
        let text = value.json.stringValue ?? ""
        if word == "body" { return .text(text) }
        guard case .named(let folder) = trust else {
            throw ReplyFault(
                "file is relative to the folder of a file of mocks, so it is only allowed in one: --replies",
                at: value)
        }
        if let file = AnswerFile(text, in: folder) { return .file(file) }
        throw Grammar.response.fault("file", at: value)
    }

    private static func fields(_ value: LocatedJSON) throws(ReplyFault) -> HTTPFields {
        var fields = HTTPFields()
        for (text, value) in value.members ?? [] {
            guard let name = HTTPField.Name(text) else {
                throw ReplyFault("\(text) is not the name of a header field", at: value)
            }
            guard !RawReply.isRefused(name) else {
                throw ReplyFault("a reply cannot set \(text); leave it out", at: value)
            }
            let texts = value.elements?.map(\.json.stringValue) ?? [value.json.stringValue]
            for text in texts {
                guard let text, HTTPField.isValidValue(text) else {
                    throw ReplyFault(
                        "the value of a header field is a text in one line, or an array of texts",
                        at: value)
                }
                let field = HTTPField(name: name, value: text)
                guard !OwnCookies.isSet(by: field) else {
                    throw ReplyFault(
                        "cookies whose names begin with drawbridge- are reserved for the gateway; use another name",
                        at: value)
                }
                fields.append(field)
            }
        }
        return fields
    }

    static func steps(_ value: LocatedJSON) throws(ReplyFault) -> [ReplyStep] {
        guard let elements = value.elements else { throw ReplyFault(Grammar.stepsAreWanted, at: value) }
        return try elements.map(step)
    }

    private static func step(_ value: LocatedJSON) throws(ReplyFault) -> ReplyStep {
        guard let members = value.members else {
            throw ReplyFault("a step is an object: \(Grammar.stepsExample)", at: value)
        }
        let parts = try Grammar.step.read(members, of: value)
        let actions = Grammar.step.leading.filter { parts[$0.name] != nil }
        guard actions.count == 1, let name = parts[actions[0].name]?.json.stringValue, !name.isEmpty else {
            throw ReplyFault(Grammar.oneActionIsWanted, at: value)
        }
        let allowed = [actions[0].name] + (actions[0].beside ?? [])
        for (part, value) in members where !allowed.contains(part) {
            let all = allowed.joined(separator: ", ")
            throw ReplyFault("a step with \(actions[0].name) has \(all), and no \(part)", at: value)
        }
        let data = try parts["data"].map { value throws(ReplyFault) in try template(value) } ?? .nothing
        let action: ReplyStep.Action =
            switch actions[0].name {
            case "call": .call(name, data)
            case "emit": .emit(name, data)
            default: .scenario(name, on: parts["on"]?.json.boolValue ?? true)
            }
        return ReplyStep(action: action, after: parts["after"]?.whole ?? 0)
    }

    package static func condition(_ value: LocatedJSON) throws(ReplyFault) -> Condition {
        if let elements = value.elements {
            return .elements(try elements.map(condition))
        }
        guard let members = value.members else { return .scalar(value.json) }
        guard let word = members.first(where: { $0.name.hasPrefix("$") }) else {
            return .members(
                try members.map { name, value throws(ReplyFault) in (name, try condition(value)) })
        }
        guard members.count == 1 else {
            throw ReplyFault(
                "\(word.name) must be the only member of its object; write a condition for each member of the input",
                at: word.value)
        }
        guard let keyword = Grammar.condition[word.name] else {
            let hint = Nearest.hint(for: word.name, among: Grammar.condition.names)
            throw ReplyFault("$when has no keyword \(word.name); \(hint)", at: word.value)
        }
        try keyword.check(word.value)
        return switch word.name {
        case "$match": .match(Glob(word.value.json.stringValue ?? ""))
        case "$exists": .exists(word.value.json.boolValue ?? true)
        default: .equals(word.value.json)
        }
    }
}
