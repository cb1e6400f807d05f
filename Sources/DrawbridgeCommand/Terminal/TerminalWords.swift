/// Commands that can be typed at the terminal, such as `reset`, besides answers to questions.
struct TerminalWords: Sendable {
    let gateway: Gateway
    let inspector: Inspector?
    /// Makes links for other devices; nil if only this machine has access.
    let invitation: Invitation?
    /// Shows a line; must not block.
    let show: @Sendable (String, LineKind) -> Void

    private func print(_ line: String) { show(line, .plain) }

    /// Runs the command in a line, asynchronously if it takes time; returns false if there is no such command.
    ///
    /// If a scenario and an event have the same name, it means the scenario; `event push` always means the event.
    func take(_ line: String) -> Bool {
        switch line {
        case "i" where inspector != nil:
            if let inspector { print("inspector  \(inspector.drawLink())") }
        case "link" where invitation != nil: invitation?.tell(show)
        case "reset":
            gateway.reset(.usual)
            print("reset: mocks, scenarios and steps are as at the start")
        case "save missing":
            run(line) { print(sentence(try await gateway.saveMissing(by: "terminal"))) }
        case _ where line.wholeMatch(of: /undo(?: [0-9]{1,9})?/) != nil:
            run(line) {
                let undone = try await gateway.keeper().undo(Int(line.drop { !$0.isNumber }))
                let kept =
                    undone.kept.isEmpty
                    ? "" : "; not undone, because changed since: \(Self.list(undone.kept))"
                print("\(undone.file), undone: \(Self.list(undone.names))\(kept)")
            }
        default:
            let words = gateway.replyBook
            if let name = words.scenarioNames.first(where: { line == $0 || line == "scenario \($0)" }) {
                do {
                    // The gateway logs the new state itself.
                    try gateway.turn(name, on: !words.scenarios().contains(name))
                } catch {
                    print("\(error)")
                }
            } else if let name = words.eventNames.first(where: { line == $0 || line == "event \($0)" }) {
                // Its errors are in the gateway's log.
                Task { try await gateway.play(event: name, on: nil, in: .usual) }
            } else {
                return false
            }
        }
        return true
    }

    private func run(_ word: String, _ work: @escaping @Sendable () async throws -> Void) {
        Task {
            do {
                try await work()
            } catch {
                print("\(word): \((error as? HTTPError)?.message ?? "\(error)")")
            }
        }
    }

    func refusal(of line: String) -> String {
        let shown = JSON.string(line.count > 40 ? "\(line.prefix(40))…" : line)
        let all = ["reset", "save missing", "undo"] + (invitation == nil ? [] : ["link"])
        let names = gateway.replyBook.scenarioNames + gateway.replyBook.eventNames
        let near = Nearest.of(line, among: all + names).map { "did you mean \($0)? " } ?? ""
        return "\(shown) is not a command here; \(near)type ? for all of them"
    }

    var help: [String] {
        var lines = ["1 ok  answers question 1; ok alone if only one waits"]
        if let scenarios = gateway.replyBook.listedScenarios {
            lines.append("the name of a scenario switches it on or off: \(scenarios)")
        }
        let events = gateway.replyBook.eventNames
        if !events.isEmpty {
            lines.append("the name of an event plays it: \(events.joined(separator: ", "))")
        }
        lines.append("reset  undoes all switches and changes; verify and record ignore calls before it")
        lines.append(
            "save missing  adds the names of unanswered calls, and what pages lack, to the file of mocks")
        lines.append("undo  undoes the last save into that file, by anybody; undo 3 undoes save 3")
        if inspector != nil { lines.append("i  gives a new link to the inspector") }
        if invitation != nil { lines.append("link  gives a new link for other devices, and its QR code") }
        return lines
    }

    private func sentence(_ saved: SavedNames) -> String {
        var parts: [String] = []
        if !saved.given.isEmpty {
            let given = saved.given.map { "\($0.key) \($0.value.stringValue ?? "\($0.value)")" }
            parts.append("pages get \(Self.list(given)); reload them")
        }
        if saved.names.isEmpty, saved.given.isEmpty {
            parts.append("save missing: no new names")
        } else if !saved.names.isEmpty {
            let count = saved.names.count == 1 ? "1 name" : "\(saved.names.count) names"
            parts.append("\(saved.file) has \(count) more: \(Self.list(saved.names))")
            parts.append("replace each {} with your app's answer")
        }
        if !saved.refused.isEmpty {
            parts.append("not possible as the name of a mock: \(Self.list(saved.refused))")
        }
        let flags = gateway.missingFlags
        if !flags.isEmpty {
            parts.append("flags win over the file; to give pages what they lack add \(Self.list(flags))")
        }
        if saved.beyond > 0 {
            parts.append("\(saved.beyond) calls not added: only the first thousand names are kept")
        }
        return parts.joined(separator: "; ")
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(20).map { $0.cut(to: 60) }.joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    }
}

extension ReplyBook {
    /// The names of all scenarios, with `(on)` after those that are on; nil if there are none.
    var listedScenarios: String? {
        let on = scenarios()
        let names = scenarioNames.map { on.contains($0) ? "\($0) (on)" : $0 }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
