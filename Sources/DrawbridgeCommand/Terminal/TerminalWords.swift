import Drawbridge
import DrawbridgeServer

/// The commands that can be typed at the terminal besides answers to questions, such as `reset`.
struct TerminalWords: Sendable {
    let gateway: Gateway
    let inspector: Inspector?
    /// Shows a line; it must not wait.
    let print: @Sendable (String) -> Void

    private enum Word {
        case link, reset, saveMissing
        case scenario(String)
        case event(String)
    }

    /// Runs the command of a line, in the background where it takes time.
    ///
    /// - Returns: false where there is no such word.
    func take(_ line: String) -> Bool {
        guard let word = word(line) else { return false }
        switch word {
        case .link: if let inspector { print("inspector  \(inspector.drawLink())") }
        case .reset:
            gateway.reset(.usual)
            print("reset: replies, scenarios and steps are as at the start")
        case .saveMissing:
            Task {
                do {
                    print(Self.sentence(try await gateway.saveMissing()))
                } catch {
                    print("save missing: \(Self.sentence(error))")
                }
            }
        case .scenario(let name):
            let isOn = gateway.replyBook.scenarios().contains(name)
            do {
                // The gateway logs the new state.
                try gateway.turn(name, on: !isOn)
            } catch {
                print("\(error)")
            }
        case .event(let name):
            Task {
                do {
                    try await gateway.play(event: name, on: nil, in: .usual)
                } catch {
                    print("event \(name): \(Self.sentence(error))")
                }
            }
        }
        return true
    }

    /// The error for an unknown word, with a similar one.
    func refusal(of line: String) -> String {
        let shown = JSON.string(line.count > 40 ? "\(line.prefix(40))…" : line)
        let near = Nearest.of(line, among: all).map { "did you mean \($0)? " } ?? ""
        return "\(shown) is no word here; \(near)type ? for all of them"
    }

    /// A line for each kind of command that is possible now.
    var help: [String] {
        var lines = ["1 ok  answers question 1; ok alone does where one waits"]
        let on = gateway.replyBook.scenarios()
        let scenarios = gateway.replyBook.scenarioNames
        if !scenarios.isEmpty {
            let names = scenarios.map { on.contains($0) ? "\($0) (on)" : $0 }.joined(separator: ", ")
            lines.append("a scenario switches it on or off: \(names)")
        }
        let events = gateway.replyBook.eventNames
        if !events.isEmpty { lines.append("an event plays it: \(events.joined(separator: ", "))") }
        lines.append("reset  takes back what was switched and set, and forgets the calls")
        lines.append("save missing  writes the names that nobody answered into the file of mocks")
        if inspector != nil { lines.append("i  gives a new link to the inspector") }
        return lines
    }

    /// The words among which `refusal` looks for a similar one.
    private var all: [String] {
        ["reset", "save missing"] + gateway.replyBook.scenarioNames
            + gateway.replyBook.eventNames
    }

    /// A name that both a scenario and an event have means the scenario; `event push` always means the event.
    private func word(_ line: String) -> Word? {
        if line == "reset" { return .reset }
        if line == "save missing" { return .saveMissing }
        if line == "i", inspector != nil { return .link }
        let (scenarios, events) = (gateway.replyBook.scenarioNames, gateway.replyBook.eventNames)
        if scenarios.contains(line) { return .scenario(line) }
        if events.contains(line) { return .event(line) }
        if let name = line.rest(after: "scenario "), scenarios.contains(name) { return .scenario(name) }
        if let name = line.rest(after: "event "), events.contains(name) { return .event(name) }
        return nil
    }

    private static func sentence(_ saved: SavedNames) -> String {
        var parts: [String] = []
        if saved.names.isEmpty {
            parts.append("save missing: no new names")
        } else {
            let count = saved.names.count == 1 ? "1 name" : "\(saved.names.count) names"
            parts.append("\(saved.file) has \(count) more: \(list(saved.names))")
            parts.append("write in place of each {} what your app answers")
        }
        if !saved.refused.isEmpty { parts.append("no mock can have the name \(list(saved.refused))") }
        if saved.beyond > 0 {
            parts.append("\(saved.beyond) calls of names after the first thousand were not kept")
        }
        return parts.joined(separator: "; ")
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(20).map { $0.cut(to: 60) }.joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? HTTPError)?.message ?? "\(error)"
    }
}

extension String {
    fileprivate func rest(after start: String) -> String? {
        hasPrefix(start) ? String(dropFirst(start.count)).trimmed : nil
    }
}
