import Drawbridge

/// The `drawbridge.json` that a developer begins with: the names that pages call, each with a reply to be written.
struct FirstFile {
    let calls: PageCalls
    /// The names that nobody answers yet, by the places where they are called first.
    private(set) var missing: [Entry] = []
    /// The names that handlers of the program answer already.
    private(set) var known: [Entry] = []
    /// The names that built-in handlers answer; in the file their mock is `$pass`.
    private(set) var passed: [Entry] = []

    /// A name with its calls, in their order.
    struct Entry {
        let name: String
        let calls: [PageCalls.Call]
        var isGuess: Bool { calls.allSatisfy(\.isGuess) }
    }

    init(_ calls: PageCalls, answered: Set<String>, builtIns: Set<String> = []) {
        self.calls = calls
        let entries = calls.names.map { name, calls in
            // Certain calls go before guessed ones.
            let sorted = calls.sorted {
                ($0.isGuess ? 1 : 0, $0.place, $0.bridge) < ($1.isGuess ? 1 : 0, $1.place, $1.bridge)
            }
            return Entry(name: name, calls: sorted)
        }
        for entry in entries.sorted(by: { ($0.calls[0].place, $0.name) < ($1.calls[0].place, $1.name) }) {
            if answered.contains(entry.name) {
                known.append(entry)
            } else if builtIns.contains(entry.name) {
                passed.append(entry)
            } else {
                missing.append(entry)
            }
        }
    }

    /// The file, which the command takes as it is.
    var text: String {
        let program = Command.program.name
        var lines = [
            "// Mocks of the native calls in these pages, written by \(program) init. Replace each {} by what your app",
            "// answers: any JSON value. The file is reloaded when you save it. For example:",
            #"//   {"nick": "Ann"}"#,
            #"//   {"$error": {"code": 1001, "message": "not ready"}}    the call fails"#,
            #"//   {"$delay": 3000, "$reply": {"nick": "Ann"}}           after three seconds"#,
            "// The article Mock native calls, in the manual, has all of them.",
            "{",
        ]
        lines += settings.map { Self.indented($0, by: 4) }
        if !settings.isEmpty { lines.append("") }
        lines.append("    \"replies\": {")
        lines += replies.map { Self.indented($0, by: 8) }
        lines.append(events.isEmpty ? "    }" : "    },")
        if !events.isEmpty {
            lines += [
                "",
                "    // What your page listens for, and native may call: POST /__drawbridge__/events/NAME",
            ]
            lines.append("    \"events\": {")
            lines += events.map { Self.indented($0, by: 8) }
            lines.append("    }")
        }
        lines += notes.map { Self.indented($0.isEmpty ? "" : "// \($0)", by: 4) }
        lines.append("}")
        return lines.map(\.plain).joined(separator: "\n") + "\n"
    }

    private static func indented(_ line: String, by width: Int) -> String {
        line.isEmpty ? "" : String(repeating: " ", count: width) + line
    }

    /// The settings that the pages need: message handlers, schemes, functions, shortcuts and bridges.
    private var settings: [String] {
        var lines: [String] = []
        func list(_ key: String, _ names: [String], _ why: String = "") {
            guard !names.isEmpty else { return }
            let list = names.map { "\(JSON.string($0))" }.joined(separator: ", ")
            lines.append("\(JSON.string(key)): [\(list)],\(why)")
        }
        // JSBridge alone is the default.
        if calls.handlers.contains(where: { $0.key != "JSBridge" || $0.value }) {
            list(
                "message-handler",
                calls.handlers.sorted { $0.key < $1.key }.map { $0.value ? "\($0.key)=reply" : $0.key })
        }
        list("scheme", calls.schemes.filter { !$0.value }.keys.sorted())
        for scheme in calls.schemes.filter({ $0.value }).keys.sorted() {
            lines.append(
                "// \"scheme\": \(JSON.string(scheme)),  // if it is your app's: it was only guessed")
        }
        if let item = calls.commandItem {
            lines.append(
                "\"command-item\": \(JSON.string(item)),  // a guess: the item that names the call in scheme://host?\(item)=…"
            )
        }
        list("inject", calls.functions.sorted(), "  // a guess: no script here declares it")
        list("shortcuts", calls.shortcuts.sorted(), "  // a guess: no script here declares it")
        return lines + bridgeLines
    }

    private var replies: [String] {
        var left = known.count + passed.count + missing.count
        guard left > 0 else {
            return [
                calls.unread.isEmpty
                    ? "// No call was found in the pages here. An example:"
                    : "// No name could be read in the pages here; what calls there are stands below. An example:",
                "// \"getUser\": {\"nick\": \"Ann\"}",
            ]
        }
        let groups = [
            (known, "// ", "{}", "// Handlers answer these; to mock one, remove the slashes:"),
            (
                passed, "", #"{"$pass": true}"#,
                "// Built-in handlers answer these; to mock one, write a value:"
            ),
            (missing, "", "{}", nil),
        ]
        var lines: [String] = []
        for (entries, slashes, value, title) in groups where !entries.isEmpty {
            lines += (lines.isEmpty ? [] : [""]) + (title.map { [$0] } ?? [])
            for entry in entries {
                left -= 1
                let reply = "\(JSON.string(entry.name)): \(value)\(left > 0 ? "," : "")"
                lines.append("\(slashes)\(reply)  // \(Self.places(entry))")
            }
        }
        return lines
    }

    /// Where a name is called, and by what.
    private static func places(_ entry: Entry) -> String {
        let first = entry.calls[0]
        let more = entry.calls.count > 1 ? " and \(entry.calls.count - 1) more" : ""
        let guess = entry.isGuess ? "a guess: " : ""
        return "\(guess)\(first.place)\(more), by \(first.bridge)"
    }

    /// An event for each name by which native may call the page.
    private var events: [String] {
        let listeners = calls.listeners.sorted { $0.value < $1.value }.filter {
            !$0.key.isEmpty && !$0.key.hasPrefix("$")
        }
        return listeners.enumerated().map { place, listener in
            let name = JSON.string(listener.key)
            let comma = place == listeners.count - 1 ? "" : ","
            return "\(name): [{\"call\": \(name), \"data\": {}}]\(comma)  // \(listener.value)"
        }
    }

    private var notes: [String] {
        var lines: [String] = []
        if !calls.unread.isEmpty {
            lines += [
                "",
                "Calls too, whose names are computed at run time; add them above when the log names them:",
            ]
        }
        lines += calls.unread.sorted { $0.key < $1.key }.prefix(50).map { "  \($0.key)  \($0.value)" }
        return lines
    }
}

extension PageCalls.Place: CustomStringConvertible {
    var description: String { "\(file):\(line)" }
}

extension String {
    /// The text with each control character, line breaks among them, replaced by U+FFFD.
    var plain: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
