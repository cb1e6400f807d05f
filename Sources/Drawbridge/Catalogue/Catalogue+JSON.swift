extension Catalogue.Entry {
    /// The entry as the tester's API lists it.
    ///
    /// - Parameter calls: its calls in the journal, the oldest first; nil without a journal.
    func json(_ calls: [JournalRecord]?, _ redaction: Redaction?) -> JSON {
        var members: JSON.Object = ["name": .string(name)]
        if let pages { members["pages"] = .string(pages) }
        members["by"] = reply == nil ? "handler" : "reply"
        for (name, value) in reply?.json.objectValue ?? [:] { members[name] = value }
        if !routes.isEmpty { members["handler"] = .string(routes.map(\.name).joined(separator: ", ")) }
        let methods = routes.compactMap { $0.handler.methods }
        // A handler that names no methods takes nearly all.
        if !methods.isEmpty, methods.count == routes.count {
            members["methods"] = .array(methods.joined().map { .string($0.rawValue) })
        }
        guard let calls else { return .object(members) }
        members["calls"] = .number(.init(calls.count))
        if let last = calls.last { members["input"] = last.shownInput(redaction) }
        if let last = calls.last(where: { $0.state == .answered }) {
            members["output"] = last.shownOutput(redaction)
            if !last.output.isWhole { members["outputIsCut"] = true }
        }
        return .object(members)
    }
}

extension ReplyNames.Listed {
    /// Which reply it is, where that stands, and how it is written.
    var json: JSON {
        var members: JSON.Object = ["reply": .string(title)]
        if let place {
            members["file"] = .string(place.file)
            members["line"] = .number(.init(place.line))
        } else {
            members["source"] = .string(source)
        }
        members["text"] = .string(text)
        return .object(members)
    }
}
