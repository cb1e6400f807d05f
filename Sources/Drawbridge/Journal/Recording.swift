/// Calls that were answered, as a file of replies that answers them in the same way.
///
/// Drawbridge may load the file without a flag that names it, so it has only what such a file may contain. Other calls
/// are left out, and the first lines say how many and why.
struct Recording {
    let text: String

    typealias Reason = RecordedReply.Reason

    /// The inputs (nil if one cannot be read) and the replies of a name's calls, in their order.
    private typealias Calls = [(input: JSON?, reply: JSON)]
    private typealias LeftOut = (name: String, reason: Reason)

    /// A file of replies may have 8 MB, comments and indentation included.
    private static let mostBytes = 7 << 20
    /// Deeper values do not fit into a reply: a text of replies has at most 100 levels.
    private static let deepest = 85
    /// The most reasons that are listed: some have a media type, and there may be many of these.
    private static let mostReasons = 20
    private static let mostNames = 10

    /// - Parameters:
    ///   - runtime: what pages are given; the file has what the calls came by.
    ///   - session: the session of the calls, for the first line; nil for all sessions.
    ///   - isWhole: whether the journal still has all calls.
    init(
        _ records: [JournalRecord], by runtime: PageRuntime?, of session: String?, answers: AnswerForm,
        isWhole: Bool
    ) {
        var bridges: Set<String> = []
        var leftOut: [LeftOut] = []
        var names: [String] = []
        var calls: [JSON.Bytewise: Calls] = [:]
        for record in records where record.head.resentFrom == nil {
            do throws(Reason) {
                // A reply whose name is a pattern would answer other names too.
                guard Self.isForOneName(record) else { throw .name }
                guard record.head.method != .head, record.head.method != .options else { throw .method }
                let reply = try RecordedReply.json(of: record, answers: answers)
                let key = JSON.Bytewise(record.name)
                if calls[key] == nil { names.append(record.name) }
                bridges.insert(record.head.bridge)
                calls[key, default: []].append((record.readInput.map { $0.value ?? .null }, reply))
            } catch {
                leftOut.append((record.name, error))
            }
        }
        var (members, bytes, count) = ([String](), 0, 0)
        for name in names {
            let (reply, answered) = Self.reply(to: name, calls[JSON.Bytewise(name)] ?? [], &leftOut)
            guard answered > 0 else { continue }
            let member = "        \(JSON.string(name)): \(reply)"
            var read = ReplyNames()
            let isReply =
                (try? read.set(LocatedJSON(parsing: Array(reply.utf8)), for: name, trust: .little)) != nil
            guard isReply, bytes + member.utf8.count < Self.mostBytes else {
                leftOut += Array(repeating: (name, isReply ? .tooMuch : .form), count: answered)
                continue
            }
            bytes += member.utf8.count
            count += answered
            members.append(member)
        }
        let settings = runtime?.settings(of: bridges) ?? []
        let scripts = (runtime?.bridges ?? []).filter { bridges.contains($0.name) && $0.setting == nil }
        let notes = scripts.map {
            "// Left out: the script of the bridge \($0.name), which only a file given by -c may name.\n"
        }
        text =
            Self.head(count, session, isWhole, leftOut) + notes.joined()
            + (settings.isEmpty ? "" : "// Save it as drawbridge.json beside the page, or name it by -c.\n")
            + "{\n"
            + settings.map { "    \"\($0.key)\": \($0.value),\n" }.joined()
            + "    \"replies\": {\n\(members.joined(separator: ",\n"))\n    }\n}\n"
    }

    private static func head(
        _ count: Int, _ session: String?, _ isWhole: Bool, _ leftOut: [LeftOut]
    ) -> String {
        var lines = [
            "// Recorded by Drawbridge: \(count) calls of \(session.map { "session \($0)" } ?? "all sessions"). It holds what was really said, secrets too:",
            "// look through it before anybody else gets it.",
        ]
        if !isWhole {
            lines.append("// The oldest calls are missing: the journal had dropped them already.")
        }
        return (lines + self.lines(leftOut)).map { $0 + "\n" }.joined()
    }

    /// The comment lines that say how many calls are left out and why, in the order of the calls.
    private static func lines(_ leftOut: [LeftOut]) -> [String] {
        func commented(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.map { " "..."~" ~= $0 ? $0 : "?" }))
        }
        let groups = Dictionary(grouping: leftOut.enumerated(), by: \.element.reason)
            .sorted { $0.value[0].offset < $1.value[0].offset }
        let lines = groups.prefix(mostReasons).map { reason, calls in
            var seen: Set<String> = []
            let names = calls.map { commented($0.element.name.cut(to: 60)) }.filter {
                seen.insert($0).inserted
            }
            let shown =
                names.prefix(mostNames).joined(separator: ", ") + (names.count > mostNames ? ", …" : "")
            let count = calls.count == 1 ? "1 call" : "\(calls.count) calls"
            return "// Left out: \(count) \(commented(reason.words)): \(shown)."
        }
        let rest = groups.dropFirst(mostReasons).reduce(0) { $0 + $1.value.count }
        return rest == 0 ? lines : lines + ["// Left out: \(rest) calls for other reasons."]
    }

    /// Whether a call's name, as the name of a reply, fits only itself; `:id` and `*` would fit other names too.
    static func isForOneName(_ record: JournalRecord) -> Bool {
        guard let segments = Target.segments(of: record.path),
            let pattern = RoutePattern(checking: record.name)
        else { return false }
        return pattern.parts == segments.map { .exact($0) } && !record.name.hasPrefix("$")
    }

    /// The reply that answers all calls of a name whose inputs are known completely, and the number of these calls.
    private static func reply(
        to name: String, _ calls: Calls, _ leftOut: inout [LeftOut]
    ) -> (text: String, calls: Int) {
        guard let first = calls.first else { return ("", 0) }
        if calls.allSatisfy({ $0.reply == first.reply }) { return ("\(first.reply)", calls.count) }
        var groups: [JSON: (input: JSON, replies: [JSON])] = [:]
        var order: [JSON] = []
        for call in calls {
            guard let input = call.input, input.depth <= deepest else {
                leftOut.append((name, .input))
                continue
            }
            let key = input.changed { leaf in
                leaf.numberValue.map { JSON.number($0.canonical) } ?? leaf
            }
            if groups[key] == nil { order.append(key) }
            groups[key, default: (input, [])].replies.append(call.reply)
        }
        let count = groups.values.reduce(0) { $0 + $1.replies.count }
        let inOrder = order.compactMap { groups[$0] }
        if inOrder.count == 1, count == calls.count { return ("\(sequence(inOrder[0].replies))", count) }
        let cases = inOrder.map { group in
            let words = words(of: sequence(group.replies)).map { ($0.key, $0.value) }
            return JSON.object(JSON.Object([("$when", ["$equals": group.input])] + words))
        }
        let lines = cases.map { "            \($0)" }.joined(separator: ",\n")
        return ("{\"$cases\": [\n\(lines)\n        ]}", count)
    }

    private static func sequence(_ replies: [JSON]) -> JSON {
        var replies = replies[...]
        while replies.count > 1, replies.last == replies.dropLast().last { replies.removeLast() }
        return replies.count == 1 ? replies[replies.startIndex] : ["$sequence": .array(Array(replies))]
    }

    /// The keywords of a reply; a bare value gets `$reply`.
    static func words(of reply: JSON) -> JSON.Object {
        if let members = reply.objectValue, members.contains(where: { $0.key.hasPrefix("$") }) {
            return members
        }
        return ["$reply": RecordedReply.literal(reply)]
    }
}

extension PageRuntime {
    /// The settings of a file by which calls of these bridges come as they do here.
    fileprivate func settings(of bridges: Set<String>) -> [(key: String, value: JSON)] {
        func list(_ key: String, _ values: [JSON], of names: String...) -> (key: String, value: JSON)? {
            values.isEmpty || bridges.isDisjoint(with: names) ? nil : (key, .array(values))
        }
        let own = self.bridges.filter { bridges.contains($0.name) }.compactMap(\.setting)
        return [
            own.isEmpty ? nil : ("bridge", .array(own)),
            list("message-handler", given(.messageHandler), of: "message", "reply"),
            // A request to a scheme is as one to its host.
            list(
                "scheme", schemes.map(JSON.string), of: "command", "iframe", "queue", "function",
                Authority.bridge),
            bridges.contains("command") ? commandItem.map { ("command-item", .string($0)) } : nil,
            list("inject", given(.inject), of: "function"),
            list("shortcuts", shortcuts.map(JSON.string), of: "shortcut"),
            missing == .answer ? ("answer-missing", true) : nil,
        ].compactMap(\.self)
    }
}
