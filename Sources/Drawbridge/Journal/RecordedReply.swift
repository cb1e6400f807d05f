enum RecordedReply {
    private static let deepest = 80

    static func json(of record: JournalRecord, answers: AnswerForm) throws(Reason) -> JSON {
        switch record.state {
        case .silent: return ["$silence": true]
        case .missing: return ["$missing": true]
        case .waiting, .left, nil: throw .unanswered
        case .answered, .error, .expired: break
        }
        switch record.by {
        case .nobody: throw .unanswered
        case .gateway, nil: throw .refused
        // A `$silence` whose caller gave up is recorded as `$silence` again.
        case .reply(let title) where record.state == .expired && title.hasSuffix(", silence"):
            return ["$silence": true]
        case .reply, .handler: break
        }
        guard record.output.isWhole else { throw .tooLong }
        let isByRequest = record.head.method != nil || record.head.bridge == Page.Bridge.iframe.rawValue
        let reply = try reply(record, isByRequest ? answers : nil)
        guard reply.depth <= deepest else { throw .tooDeep }
        return reply
    }

    /// - Parameter answers: the form in which a request was answered; nil for a call that got the bare value.
    private static func reply(_ record: JournalRecord, _ answers: AnswerForm?) throws(Reason) -> JSON {
        let bytes = record.output.bytes
        switch record.form {
        case .stream: throw .stream
        case .failure(let status):
            guard let error = try? JSON(parsing: bytes) else { throw .noJSON("text") }
            return failure(error, status, answers)
        case .value:
            guard let value = bytes.isEmpty ? .null : try? JSON(parsing: bytes) else { throw .noJSON("text") }
            let code = record.code ?? 200
            guard let answers, code != 200 else { return written(value) }
            return try response(
                answers.hasStatus ? code : 200, try? JSON(parsing: answers.success(bytes, code: code)))
        case .raw(let type): return try raw(record.code ?? 200, bytes, type, answers)
        }
    }

    /// A handler's error as `$error`, or as `$response` if its HTTP status does not follow from its code.
    private static func failure(_ error: JSON, _ status: Int, _ answers: AnswerForm?) -> JSON {
        let code = error["code"]?.numberValue?.intValue ?? status
        let usual = (400...599).contains(code) ? code : 500
        if let answers, answers.hasStatus, status != usual, let raw = try? response(status, error) {
            return raw
        }
        var members: JSON.Object = ["code": .number(.init(code))]
        members["message"] = literal(error["message"] ?? "")
        if let data = error["data"] { members["data"] = literal(data) }
        return ["$error": .object(members)]
    }

    /// A reply for text or bytes that were sent unchanged; a page that called by a bridge got them as a string.
    private static func raw(
        _ status: Int, _ bytes: [UInt8], _ type: String, _ answers: AnswerForm?
    ) throws(Reason) -> JSON {
        let json = try? JSON(parsing: bytes)
        guard answers == nil else {
            if bytes.isEmpty { return try response(status, nil) }
            guard type.hasPrefix("application/json"), let json else { throw .noJSON(type) }
            return try response(status, json)
        }
        if status >= 400 {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .noJSON(type) }
            return failure(
                json?["message"] != nil ? json ?? .null : ["message": .string(text.cut(to: 200))], status, nil
            )
        }
        if bytes.isEmpty { return .null }
        return written(.string(PageAnswer.text(bytes, type)))
    }

    private static func response(_ status: Int, _ value: JSON?) throws(Reason) -> JSON {
        guard (200...599).contains(status), status != 304 else { throw .noJSON("status \(status)") }
        var members: JSON.Object = status == 200 ? [:] : ["status": .number(.init(status))]
        if let value { members["json"] = literal(value) }
        return ["$response": .object(members)]
    }

    /// The value as a reply: bare, unless it would then be read as something else, or cause a warning.
    private static func written(_ value: JSON) -> JSON {
        let hasWord = value.objectValue?.contains { $0.key.hasPrefix("$") } == true
        guard !hasWord, let read = try? LocatedJSON(parsing: value.bytes),
            ReplyReader.doubts(about: read).isEmpty
        else { return ["$reply": literal(value)] }
        return value
    }

    /// The value with its `{{` escaped, so that they begin no template.
    static func literal(_ value: JSON) -> JSON {
        value.changed { leaf in
            leaf.stringValue.map { JSON.string($0.replacing("{{", with: #"{{"{{"}}"#)) } ?? leaf
        }
    }
}

extension JSON {
    var depth: Int {
        let inner = arrayValue ?? objectValue?.map(\.value)
        return inner.map { 1 + ($0.map(\.depth).max() ?? 0) } ?? 0
    }

    /// The same arrays and objects, with each value that is neither of them changed.
    func changed(_ change: (JSON) -> JSON) -> JSON {
        switch self {
        case .array(let elements): .array(elements.map { $0.changed(change) })
        case .object(let members): .object(Object(members.map { ($0.key, $0.value.changed(change)) }))
        case .null, .bool, .number, .string: change(self)
        }
    }
}

extension RecordedReply {
    enum Reason: Error, Hashable {
        case unanswered, refused, tooLong, tooDeep, stream, input, name, method, form, tooMuch
        /// The answer is not JSON; with its media type.
        case noJSON(String)

        var words: String {
            switch self {
            case .unanswered: "that nobody answered"
            case .refused: "that the gateway itself refused"
            case .tooLong: "whose answers had more than \(JournalRecord.Value.mostBytes >> 10) KB"
            case .tooDeep: "whose answers are nested too deeply for a reply"
            case .stream: "whose answers were streams or files"
            case .noJSON(let type):
                "whose answers are not JSON, but \(type.isEmpty ? "of no type" : type), which a file that is found without a flag cannot contain"
            case .input: "whose inputs decide the answer, but are incomplete or cannot be read"
            case .name: "whose names a reply cannot have"
            case .method: "by HEAD or OPTIONS, which no reply answers"
            case .form: "whose answers a reply cannot express"
            case .tooMuch: "beyond the largest size of a file of replies"
            }
        }
    }
}
