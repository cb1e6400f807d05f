/// Calls as an HTTP archive, HAR 1.2, for the tools that read those.
///
/// A call by a bridge becomes the flagged request that asks the same, with the answer that this would get.
enum HTTPArchive {
    static let empty: JSON = [
        "log": ["version": "1.2", "creator": ["name": "Drawbridge", "version": "1"], "entries": []]
    ]

    static func entry(_ copy: CallCopy) -> JSON {
        let record = copy.record
        let time = record.took.flatMap { JSON.Number(literal: $0.milliseconds).map(JSON.number) } ?? 0
        let answer = response(of: copy)
        var request: JSON.Object = [
            "method": .string(copy.method), "url": .string(copy.url), "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": [], "headersSize": -1, "bodySize": .number(.init(copy.body.count)),
            "queryString": .array(
                Query(String(copy.url.drop { $0 != "?" }.dropFirst())).map {
                    ["name": .string($0.name), "value": .string($0.value)]
                }),
        ]
        if !copy.body.isEmpty {
            request["postData"] = [
                "mimeType": .string(copy.contentType ?? ""),
                "text": .string(String(decoding: copy.body, as: UTF8.self)),
            ]
        }
        return [
            "startedDateTime": .string(record.head.at.timestamp), "time": time, "cache": [:],
            "comment": .string(
                "call \(record.number) by \(record.head.bridge), \(record.state?.rawValue ?? "")"),
            "request": .object(request),
            "response": [
                "status": .number(.init(answer.status)), "statusText": "", "httpVersion": "HTTP/1.1",
                "cookies": [], "headers": [], "redirectURL": "", "headersSize": -1,
                "bodySize": .number(.init(answer.text.utf8.count)),
                "content": [
                    "size": .number(.init(answer.text.utf8.count)), "mimeType": .string(answer.type),
                    "text": .string(answer.text),
                ],
            ],
            "timings": ["send": 0, "wait": time, "receive": 0],
        ]
    }

    private struct Answer {
        /// 0 where there is none.
        var status = 0
        var text = ""
        var type = ""
    }

    private static func response(of copy: CallCopy) -> Answer {
        let record = copy.record
        switch record.state {
        case .waiting, .silent, .left, nil: return Answer()
        case .answered, .error, .expired: break
        }
        let output = record.shownOutput(copy.setting.redaction)
        let code = record.code ?? 200
        // The code of an app's own error may be no HTTP status.
        let status = (100...599).contains(code) ? code : 500
        guard record.kind != .request else { return Answer(status: status) }
        let text = output.isNull ? "" : output.stringValue ?? "\(output)"
        switch record.form {
        case .raw(let type): return Answer(status: status, text: text, type: type)
        case .stream: return Answer(status: status)
        case .value, .failure, .missing: break
        }
        let answers = copy.setting.answers
        // The output of an error has the envelope already.
        let body =
            record.state != .answered
            ? "\(output)" : String(decoding: answers.success(output.bytes, code: code), as: UTF8.self)
        return Answer(status: answers.hasStatus ? status : 200, text: body, type: answers.type)
    }
}
