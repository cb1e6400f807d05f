extension JournalRecord {
    package func json(_ redaction: Redaction?) -> JSON {
        var members: JSON.Object = [
            "number": .number(.init(number)), "kind": .string(kind.rawValue),
            "session": .string(session.name), "at": .string(head.at.timestamp),
            "name": .string(kind == .request ? redaction.removed(fromText: name) : name),
        ]
        if !head.id.isEmpty { members["id"] = .string(head.id) }
        members["page"] =
            page.map {
                [
                    "id": .string($0.id), "path": .string(redaction.removed(fromText: $0.path)),
                    "title": .string(redaction.removed(fromText: $0.title)),
                ]
            } ?? .null
        if !head.bridge.isEmpty { members["bridge"] = .string(head.bridge) }
        if let method = head.method { members["method"] = .string(method.rawValue) }
        if kind != .request { members["input"] = shownInput(redaction) }
        if !input.isWhole { members["inputIsCut"] = true }
        if let (word, title) = by?.shown {
            members["by"] = .string(word)
            if let title { members[word] = .string(title) }
        }
        let reasons = why + [near].compactMap(\.self)
        if !reasons.isEmpty { members["why"] = redaction.removed(from: .array(reasons.map(JSON.string))) }
        if let state { members["state"] = .string(state.rawValue) }
        if let code { members["code"] = .number(.init(code)) }
        // When a page has gone, the output is the reason for that.
        if kind != .request, state != .waiting, kind != .page || !output.bytes.isEmpty {
            members["output"] = shownOutput(redaction)
        }
        if !output.isWhole { members["outputIsCut"] = true }
        if let asked {
            var said: JSON.Object = ["question": .string(asked.question)]
            if let decided = asked.decided {
                said["choice"] = redaction.removed(from: decided.choice ?? .null)
                said["by"] = .string(decided.by)
            }
            members["asked"] = .object(said)
        }
        if let gives {
            members["gives"] = gives.members
            members["given"] = .bool(gives.isGiven)
        }
        if let resentFrom = head.resentFrom { members["resentFrom"] = .number(.init(resentFrom)) }
        if let took { members["milliseconds"] = JSON.Number(literal: took.milliseconds).map(JSON.number) }
        return .object(members)
    }

    package func shownInput(_ redaction: Redaction?) -> JSON {
        guard let read = readInput else { return input.text(redaction) }
        return redaction.removed(from: read.value ?? .null)
    }

    package func shownOutput(_ redaction: Redaction?) -> JSON {
        guard output.isWhole, let value = try? JSON(parsing: output.bytes) else {
            return output.text(redaction)
        }
        return redaction.removed(from: value)
    }
}

extension JournalRecord.Value {
    fileprivate func text(_ redaction: Redaction?) -> JSON {
        guard !bytes.isEmpty else { return .null }
        return .string(redaction.removed(fromText: String(decoding: bytes, as: UTF8.self)))
    }
}
