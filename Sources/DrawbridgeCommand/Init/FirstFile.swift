/// The `drawbridge.json` that `init` writes: each native call of the pages, with `{}` in place of the app's answer.
struct FirstFile {
    typealias Entry = PageCalls.Entry

    let calls: PageCalls
    /// Calls that the program's own handlers answer, that built-in handlers answer, and that no handler answers.
    private let (known, passed, missing): ([Entry], [Entry], [Entry])

    init(_ calls: PageCalls, answered: Set<String>, builtIns: Set<String> = []) {
        let all = calls.all(.call)
        self.calls = calls
        known = all.filter { answered.contains($0.name) }
        passed = all.filter { !answered.contains($0.name) && builtIns.contains($0.name) }
        missing = all.filter { !answered.contains($0.name) && !builtIns.contains($0.name) }
    }

    /// The text of the file, which is valid even before any `{}` is replaced.
    var text: String {
        let events = calls.all(.event).filter { !$0.name.isEmpty && !$0.name.hasPrefix("$") }
        let computed = calls.all(.computed).prefix(50).map { "    //   \($0.text)  \($0.name)" }
        var lines = [
            "// Mocks of the native calls in these pages, written by \(Command.program.name) init. Replace each {} with",
            "// what your app answers: any JSON value. The file is reloaded when you save it. For example:",
            #"//   {"nick": "Ann"}"#,
            #"//   {"$error": {"code": 1001, "message": "not ready"}}    the call fails"#,
            #"//   {"$delay": 3000, "$reply": {"nick": "Ann"}}           after three seconds"#,
            "// The article Mock native calls, in the manual, describes every keyword.", "{",
        ]
        lines += settings.map { "    \($0)" } + (settings.isEmpty ? [] : [""])
        lines += ["    \"replies\": {"] + replies.map { $0.isEmpty ? "" : "        \($0)" }
        lines += [events.isEmpty ? "    }" : "    },"]
        if !events.isEmpty {
            lines += [
                "",
                "    // Events that your page listens for. To send one: POST /__drawbridge__/events/NAME",
            ]
            let members = events.map {
                (#"\#(JSON.string($0.name)): [{"call": \#(JSON.string($0.name)), "data": {}}]"#, $0.text)
            }
            lines += ["    \"events\": {"] + Self.members(members).map { "        \($0)" } + ["    }"]
        }
        if !computed.isEmpty {
            lines += [
                "",
                "    // Calls whose names are computed at run time; add the names above when the log shows them:",
            ]
        }
        return (lines + computed + ["}"]).map(\.plain).joined(separator: "\n") + "\n"
    }

    private static func members(_ all: [(text: String, comment: String)]) -> [String] {
        all.enumerated().map { "\($1.text)\($0 < all.count - 1 ? "," : "")  // \($1.comment)" }
    }

    private static func list(_ names: some Sequence<String>) -> String {
        "[" + names.sorted().map { "\(JSON.string($0))" }.joined(separator: ", ") + "]"
    }

    private var replies: [String] {
        guard known.count + passed.count + missing.count > 0 else {
            let problem =
                calls.all(.computed).isEmpty
                ? "No native call was found in these pages."
                : "The pages compute the names of their calls at run time; the calls are below."
            return ["// \(problem) An example:", "// \"getUser\": {\"nick\": \"Ann\"}"]
        }
        func rows(_ entries: [Entry], _ slashes: String = "", _ value: String = "{}") -> [(String, String)] {
            entries.map {
                ("\(slashes)\(JSON.string($0.name)): \(value)", ($0.isGuess ? "a guess: " : "") + $0.text)
            }
        }
        let pass = #"{"$pass": true}"#
        var lines = Self.members(rows(known, "// ") + rows(passed, "", pass) + rows(missing))
        if !passed.isEmpty {
            lines.insert(
                "// Built-in handlers answer these; to mock one, replace its value:", at: known.count)
            if !missing.isEmpty { lines.insert("", at: known.count + passed.count + 1) }
        }
        if !known.isEmpty {
            if known.count < lines.count { lines.insert("", at: known.count) }
            lines.insert("// Handlers answer these; to mock one, remove the slashes:", at: 0)
        }
        return lines
    }

    private var settings: [String] {
        let awaited = Set(calls.all(.awaited).map(\.name))
        let handlers = Set(calls.all(.handler).map(\.name)).subtracting(awaited).union(
            awaited.map { "\($0)=reply" })
        let schemes = calls.all(.scheme)
        var lines: [String] = []
        for (key, names, why) in [
            // The setting is left out if it would only have `JSBridge`, its default.
            ("message-handler", handlers == ["JSBridge"] ? [] : Array(handlers), ""),
            ("scheme", schemes.filter { !$0.isGuess }.map(\.name), ""),
            ("inject", calls.all(.function).map(\.name), "  // a guess: no script here declares it"),
        ] where !names.isEmpty {
            lines.append("\"\(key)\": \(Self.list(names)),\(why)")
        }
        for scheme in schemes where scheme.isGuess {
            lines.append(
                "// \"scheme\": \(JSON.string(scheme.name)),  // a guess; remove the slashes if it is your app's scheme"
            )
        }
        if !calls.all(.item).isEmpty {
            lines.append(
                "\"command-item\": \"action\",  // a guess: the query parameter with the call's name in scheme://host?action=…"
            )
        }
        return bridges.isEmpty
            ? lines : lines + ["\"bridge\": ["] + Self.members(bridges).map { "    \($0)" } + ["],"]
    }

    /// The elements of the setting `bridge`, each with the line of a page or script that uses the bridge first.
    private var bridges: [(text: String, comment: String)] {
        var all: [String: [(options: String, comment: String)]] = [:]
        for entry in calls.all(.bridge) {
            guard let hint = BridgeHint.named(entry.name) else { continue }
            let others = all[hint.bridge, default: []]
            guard others.isEmpty || !hint.options.isEmpty else { continue }
            // `object` is listed twice if pages use WeixinJSBridge and AlipayJSBridge: the second gets another name.
            let name = others.isEmpty ? "" : #""as": \#(JSON.string(hint.name)), "#
            let options = hint.options.isEmpty ? "" : "{\(name)\(hint.options.dropFirst())"
            all[hint.bridge, default: []].append((options, "\(entry.places[0]), \(entry.name)"))
        }
        return all.sorted { $0.key < $1.key }.flatMap { name, elements in
            elements.map { options, comment in
                let text = #"{"name": \#(JSON.string(name)), "options": \#(options)}"#
                return (options.isEmpty ? "\(JSON.string(name))" : text, comment)
            }
        }
    }

    var summary: [String] {
        func count(_ entries: [Entry], _ what: (one: String, many: String), _ more: String = "") -> String? {
            entries.isEmpty ? nil : "  \(entries.count) \(entries.count == 1 ? what.one : what.many)\(more)"
        }
        let guesses = missing.count(where: \.isGuess)
        let lines = [
            count(
                missing, ("name", "names"),
                " for you to answer" + (guesses > 0 ? ", \(guesses) of them guessed" : "")),
            count(known, ("name that a handler answers", "names that handlers answer")),
            count(passed, ("name that a built-in handler answers", "names that built-in handlers answer")),
            count(
                calls.all(.computed), ("call whose name is", "calls whose names are"),
                " computed at run time: the log will name them"),
            count(calls.all(.event), ("event that", "events that"), " your page listens for"),
        ].compactMap { $0 }
        return lines.isEmpty
            ? ["No native call was found."]
            : ["It lists, each with the line where it was found:"] + lines
    }

    var isEmpty: Bool { known.isEmpty && passed.isEmpty && missing.isEmpty }
}

extension String {
    /// The text with each control character, line breaks among them, replaced by U+FFFD.
    var plain: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
