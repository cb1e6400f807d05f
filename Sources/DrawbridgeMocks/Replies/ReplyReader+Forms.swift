import HTTPTypes

// Reads the outcomes whose value has a form of its own.
extension ReplyReader {
    static func failure(_ value: LocatedJSON) throws(ReplyFault) -> Reply.Failure {
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

    /// - Parameter trust: with `.little` it is refused: a file that nobody has named sends nothing elsewhere.
    static func forward(_ value: LocatedJSON, trust: ReplyTrust) throws(ReplyFault) -> ForwardTarget {
        if trust == .little {
            throw ReplyFault(
                "$forward may stand in a file that somebody has named alone: -c drawbridge.json, or --replies",
                at: value)
        }
        if let target = value.json.stringValue.flatMap(ForwardTarget.init) { return target }
        throw ReplyFault(
            """
            $forward is the URL of a program that answers by a value as JSON: "http://127.0.0.1:3000/native"; it has no user \
            name, query, fragment or template
            """, at: value)
    }

    /// - Parameter trust: with `.little`, `headers`, `body` and `file` are refused: in a file that nobody has named,
    ///   they could make a page of somebody else's.
    static func raw(_ value: LocatedJSON, trust: ReplyTrust) throws(ReplyFault) -> RawReply {
        let example = "{\"status\": 401, \"json\": {\"error\": \"expired\"}}"
        guard let members = value.members else {
            throw ReplyFault("$response is an object, such as \(example)", at: value)
        }
        var status = 200
        var headers = HTTPFields()
        var body: RawReply.Body?
        for (name, value) in members {
            if trust == .little, ["headers", "body", "file"].contains(name) {
                throw ReplyFault(
                    "\(name) may stand in a file that somebody has named alone: -c drawbridge.json, or --replies",
                    at: value
                )
            }
            switch name {
            case "status":
                guard let number = value.json.numberValue?.intValue, (200...599).contains(number),
                    number != 304
                else { throw ReplyFault("a status is a number from 200 to 599, and not 304", at: value) }
                status = number
            case "headers": headers = try fields(value)
            case "json", "body", "file":
                guard body == nil else {
                    throw ReplyFault("json, body and file are one body each; keep one", at: value)
                }
                body = try Self.body(name, value, trust)
            default:
                throw ReplyFault(
                    "a $response has status, headers, and one of json, body and file, and no \(name)",
                    at: value)
            }
        }
        if body != nil, status == 204 || status == 205 {
            throw ReplyFault("an answer with status \(status) has no body; leave it out", at: value)
        }
        return RawReply(status: status, headers: headers, body: body ?? .none)
    }

    private static func body(
        _ word: String, _ value: LocatedJSON, _ trust: ReplyTrust
    ) throws(ReplyFault) -> RawReply.Body {
        if word == "json" { return .json(try template(value)) }
        guard let text = value.json.stringValue else {
            throw ReplyFault("a \(word) is a text; another value is written as json", at: value)
        }
        if word == "body" { return .text(text) }
        guard case .named(let folder) = trust else {
            throw ReplyFault(
                "file is the name of one beside the file of replies that says it, and so it stands in such a file: --replies",
                at: value)
        }
        guard let file = AnswerFile(text, in: folder) else {
            throw ReplyFault(
                "file is a name below the folder of the file of replies: \"pictures/ann.png\"; it does not lead out of it",
                at: value)
        }
        return .file(file)
    }

    private static func fields(_ value: LocatedJSON) throws(ReplyFault) -> HTTPFields {
        guard let members = value.members else {
            throw ReplyFault("headers are an object: {\"Cache-Control\": \"no-store\"}", at: value)
        }
        var fields = HTTPFields()
        for (text, value) in members {
            guard let name = HTTPField.Name(text) else {
                throw ReplyFault("\(text) is no name of a header field", at: value)
            }
            guard !RawReply.isRefused(name) else {
                throw ReplyFault("\(text) is not for a reply to say; leave it out", at: value)
            }
            let texts = value.elements?.map(\.json.stringValue) ?? [value.json.stringValue]
            for text in texts {
                guard let text, HTTPField.isValidValue(text) else {
                    throw ReplyFault("a header field is a text in one line, or an array of them", at: value)
                }
                let field = HTTPField(name: name, value: text)
                guard !OwnCookies.isSet(by: field) else {
                    throw ReplyFault(
                        "cookies whose names begin with drawbridge- are the gateway's own", at: value)
                }
                fields.append(field)
            }
        }
        return fields
    }

    /// Reads the steps after an answer or of an event.
    static func steps(_ value: LocatedJSON) throws(ReplyFault) -> [ReplyStep] {
        let example = "[{\"call\": \"onPaid\", \"data\": {\"ok\": true}, \"after\": 800}]"
        guard let elements = value.elements else {
            throw ReplyFault("steps are an array: \(example)", at: value)
        }
        var steps: [ReplyStep] = []
        for element in elements { steps.append(try step(element, example)) }
        return steps
    }

    private static func step(_ value: LocatedJSON, _ example: String) throws(ReplyFault) -> ReplyStep {
        guard let members = value.members else {
            throw ReplyFault("a step is an object: \(example)", at: value)
        }
        let parts = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
        let deeds = ["call", "emit", "scenario"].filter { parts[$0] != nil }
        guard deeds.count == 1, let name = parts[deeds[0]]?.json.stringValue, !name.isEmpty else {
            throw ReplyFault("a step has one of call, emit and scenario, with a name: \(example)", at: value)
        }
        let allowed = deeds[0] == "scenario" ? ["scenario", "on", "after"] : [deeds[0], "data", "after"]
        for (part, value) in members where !allowed.contains(part) {
            throw ReplyFault(
                "a step of this kind has \(allowed.joined(separator: ", ")), and no \(part)", at: value)
        }
        let after = try parts["after"].map { value throws(ReplyFault) in try milliseconds(value) } ?? 0
        if deeds[0] == "scenario" {
            let on = parts["on"]
            guard let isOn = on == nil ? true : on?.json.boolValue else {
                throw ReplyFault("on is true or false", at: on ?? value)
            }
            return ReplyStep(deed: .scenario(name, on: isOn), after: after)
        }
        let data = try parts["data"].map { value throws(ReplyFault) in try template(value) } ?? .nothing
        return ReplyStep(deed: deeds[0] == "call" ? .call(name, data) : .emit(name, data), after: after)
    }
}
