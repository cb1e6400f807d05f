extension Gateway {
    package var keepsJournal: Bool { journal.isOn }

    /// Reports each call of native when it has ended, on any thread; for gateways with a journal.
    ///
    /// - Parameters:
    ///   - hasIDs: adds the ids of request and page.
    ///   - columns: the width of the terminal now; nil for any.
    ///   - tell: gets the call's log line, and whether the call failed or was not answered.
    package func tellCalls(
        hasIDs: Bool, columns: @escaping @Sendable () -> Int?,
        _ tell: @escaping @Sendable (_ line: String, _ hasFailed: Bool) -> Void
    ) {
        journal.listen { [weak self] record, times in
            guard let self else { return }
            // The line shows only the beginning of input and output.
            let record = record.shortened(to: 4 << 10)
            let hasFailed = [.error, .expired, .left].contains(record.state) || record.by == .nobody
            tell(line(of: record, times: times, columns: columns(), hasIDs: hasIDs), hasFailed)
        }
    }

    /// The line that tells of a call: name, input, who answered or why nobody did, time, answer.
    ///
    /// ```
    /// getUser {}                 reply getUser, step 2   0.3 ms  {"code":0,"data":{"nick":"Ann"…
    /// pay {"channel":"card"}     no case fits: channel is "card", wanted "wechat"; nobody answers
    /// vibrate {"ms":30}          not mocked, 3 times now; add "vibrate" to tickets/drawbridge.json
    /// ```
    ///
    /// - Parameter times: how many calls of this name were not answered so far.
    private func line(of record: JournalRecord, times: Int, columns: Int?, hasIDs: Bool) -> String {
        let room = columns ?? 120
        var line = LineText(record.shownName)
        let input = record.shown(record.shownInput(secrets), isWhole: record.input.isWhole)
        let why = record.by == .nobody ? "  \(whyNobody(record, times))" : nil
        // The advice is never cut: the input is shortened instead, and columns may not align.
        let left = why.map { max(line.columns, room - LineText($0).columns) } ?? room
        if input != "null" {
            line.append(" \(input)")
            line.cut(to: columns == nil ? 500 : min(room * 3 / 10, left))
        }
        line.pad(to: min(room * 3 / 10, left))
        if let why {
            line.append(why)
        } else {
            line.append("  ")
            line.append(record.who)
            if record.state == .missing {
                line.append(": not available in this app")
            } else {
                line.pad(to: room * 5 / 10 + 2)
                line.append("  \(outcome(of: record))")
            }
        }
        if hasIDs {
            line.cut(to: 2000)
            line.append("  request=\(record.head.id)  bridge=\(record.head.bridge)")
            if let page = record.page, !page.id.isEmpty { line.append("  page=\(page.id.prefix(8))") }
            if record.session != .usual { line.append("  session=\(record.session.name)") }
        } else {
            line.cut(to: columns ?? 2000)
        }
        return line.text
    }

    private func outcome(of record: JournalRecord) -> String {
        let milliseconds = record.took?.milliseconds ?? "0"
        let time = "\(String(repeating: " ", count: max(0, 4 - milliseconds.count)))\(milliseconds) ms"
        switch record.state {
        case .silent: return "never answers"
        case .left: return "\(time)  \(journal.isStopping ? "stopped" : "its caller left")"
        case .error, .missing, .expired, .answered, .waiting, nil: break
        }
        let message = if case .failure = record.form { message(of: record) } else { nil as String? }
        let end = message ?? ending(of: record)
        guard let code = record.code, code != 200 else { return "\(time)  \(end)" }
        return "\(time)  \(code < 400 ? "code \(code)  " : "error \(code)\(end.isEmpty ? "" : ": ")")\(end)"
    }

    private func message(of record: JournalRecord) -> String? {
        let message = (try? JSON(parsing: record.output.bytes))?["message"]?.stringValue
        return message.map { secrets.removed(fromText: $0) }
    }

    private func ending(of record: JournalRecord) -> String {
        switch record.form {
        case .stream: "a stream"
        case .raw(let type) where !type.hasPrefix("application/json") && !type.hasPrefix("text/"):
            "\(type), \(record.output.bytes.count) B"
        default: record.shown(record.shownOutput(secrets), isWhole: record.output.isWhole)
        }
    }

    private func whyNobody(_ record: JournalRecord, _ times: Int) -> String {
        let cases = record.why.map {
            secrets.removed(fromText: $0).trimmingTitle(of: record.name, isOnly: record.why.count == 1)
        }
        guard cases.isEmpty else {
            return
                "no case fits: \(cases.joined(separator: "; ")); nobody answers\(elseInspector("; the inspector can"))"
        }
        // The name has handlers, but for other HTTP methods.
        if record.code == 405 { return message(of: record) ?? "its handlers take other methods" }
        if record.name.isEmpty, let said = message(of: record), said != "No response" { return said }
        let count = times > 1 ? ", \(times) times now" : ""
        let way = howToMock(record.name).map { "\($0)\(elseInspector(", or in the inspector"))" }
        let mock = way ?? "no mock can have this name"
        guard let near = record.near else { return "not mocked\(count); \(mock)" }
        return "not mocked\(count); \(near)\(near.hasSuffix("?") ? " Else" : ";") \(mock)"
    }

    /// Returns `words` the first time in a run, if there is an inspector to point to; else an empty string.
    private func elseInspector(_ words: String) -> String {
        guard program.suggestions.contains(.inspector) else { return "" }
        return configure { $0.suggestions.remove(.inspector) } == nil ? "" : words
    }
}

extension JournalRecord {
    /// The name, quoted if it contains spaces, quotes or braces: a page may call any name.
    fileprivate var shownName: String {
        let name = name
        guard !name.isEmpty else { return "(no name)" }
        let isWord = name.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "{" }
        return isWord ? name.cut(to: 200) : String(quoted: name)
    }

    fileprivate var who: String {
        switch by {
        case .reply(let title):
            title.hasSuffix(", silence") ? "reply \(title.dropLast(9))" : "reply \(title)"
        case .handler(let name): "handler \(name)"
        case .nobody: "nobody"
        // A call whose caller has left was not refused.
        case .gateway: state == .left ? "" : "refused"
        case nil: "files or upstream"
        }
    }

    fileprivate func shown(_ value: JSON, isWhole: Bool) -> String {
        guard !isWhole, let text = value.stringValue else { return "\(value)" }
        return text + "…"
    }
}

extension String {
    /// A case that did not fit, without the name of its reply: `pay, case 1: channel is "card"`.
    ///
    /// - Parameter isOnly: whether it is the only case that did not fit; then its number is left out too.
    fileprivate func trimmingTitle(of name: String, isOnly: Bool) -> String {
        guard hasPrefix("\(name), case ") else { return self }
        let plain = dropFirst(name.count + 2)
        guard isOnly, let colon = plain.firstRange(of: ": ") else { return String(plain) }
        return String(plain[colon.upperBound...])
    }
}

/// A line of text that counts the terminal columns that it takes.
private struct LineText {
    private(set) var text = ""
    private(set) var columns = 0

    init(_ text: String) { append(text) }

    mutating func append(_ more: String) {
        text += more
        for scalar in more.unicodeScalars { columns += Self.columns(of: scalar) }
    }

    mutating func pad(to column: Int) {
        guard columns < column else { return }
        text += String(repeating: " ", count: column - columns)
        columns = column
    }

    /// Cuts the line to this many columns, with an ellipsis at its end.
    mutating func cut(to most: Int) {
        guard columns > most else { return }
        while columns > most - 1, let last = text.unicodeScalars.last {
            text.unicodeScalars.removeLast()
            columns -= Self.columns(of: last)
        }
        append("…")
    }

    /// Counts two columns for each character outside ASCII, which may need two; the ellipsis needs one.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        scalar.isASCII || scalar == "…" ? 1 : 2
    }
}
