/// The `drawbridge.json` that `init` writes: each native call of the pages, with `{}` in place of the app's answer.
struct FirstFile {
    typealias Entry = PageCalls.Entry

    let calls: PageCalls
    private let (answered, missing): ([Entry], [Entry])

    init(_ calls: PageCalls, answered names: Set<String>) {
        self.calls = calls
        answered = calls.all(.call).filter { names.contains($0.name) }
        missing = calls.all(.call).filter { !names.contains($0.name) }
    }

    var isEmpty: Bool { answered.isEmpty && missing.isEmpty }

    /// The text of the file, which is valid even before any `{}` is replaced.
    var text: String {
        let events = calls.all(.event).filter { !$0.name.isEmpty && !$0.name.hasPrefix("$") }.map {
            (#"\#(JSON.string($0.name)): [{"call": \#(JSON.string($0.name)), "data": {}}]"#, $0.text)
        }
        let computed = calls.all(.computed).prefix(50).map { "//   \($0.text)  \($0.name)" }
        var lines = settings.isEmpty ? [] : settings + [""]
        lines += ["\"replies\": {"] + Self.indented(replies) + [events.isEmpty ? "}" : "},"]
        if !events.isEmpty {
            lines += [
                "", "// Events that your page listens for. To send one: POST /__drawbridge__/events/NAME",
            ]
            lines += ["\"events\": {"] + Self.indented(Self.members(events)) + ["}"]
        }
        if !computed.isEmpty {
            lines += [
                "",
                "// Calls whose names are computed at run time; add the names above when the log shows them:",
            ]
        }
        let heading = """
            // Mocks of the native calls in these pages, written by \(Command.program.name) init. Replace each {} with
            // what your app answers: any JSON value. The file is reloaded when you save it. For example:
            //   {"nick": "Ann"}
            //   {"$error": {"code": 1001, "message": "not ready"}}    the call fails
            //   {"$delay": 3000, "$reply": {"nick": "Ann"}}           after three seconds
            // The article Mock native calls, in the manual, describes every keyword.
            {
            """
        return ([heading] + Self.indented(lines + computed).map(\.plain) + ["}\n"]).joined(separator: "\n")
    }

    private static func indented(_ lines: [String]) -> [String] {
        lines.map { $0.isEmpty ? "" : "    \($0)" }
    }

    private static func members(_ all: [(text: String, comment: String)]) -> [String] {
        all.enumerated().map { "\($1.text)\($0 < all.count - 1 ? "," : "")  // \($1.comment)" }
    }

    private var replies: [String] {
        guard !isEmpty else {
            let problem =
                calls.all(.computed).isEmpty
                ? "No native call was found in these pages."
                : "The pages compute the names of their calls at run time; the calls are below."
            return ["// \(problem) An example:", "// \"getUser\": {\"nick\": \"Ann\"}"]
        }
        let rows = Self.members(
            answered.map { (#"\#(JSON.string($0.name)): {"$pass": true}"#, $0.text) }
                + missing.map {
                    ("\(JSON.string($0.name)): {}", $0.form.isGuess ? "a guess: \($0.text)" : $0.text)
                })
        guard !answered.isEmpty else { return rows }
        let passed =
            ["// Handlers answer these; to mock one, replace its value:"] + rows.prefix(answered.count)
        return passed + (missing.isEmpty ? [] : [""]) + rows.dropFirst(answered.count)
    }

    private var settings: [String] {
        let handlers = Set(calls.all(.handler).map(\.name))
        let (guessed, schemes) = (
            calls.all(.scheme).filter(\.form.isGuess), calls.all(.scheme).filter { !$0.form.isGuess }
        )
        var lines: [String] = []
        for (key, names, why) in [
            // The setting is left out if it would only have `JSBridge`, its default.
            (
                "message-handler",
                handlers == ["JSBridge"] ? [] : handlers.filter { !handlers.contains("\($0)=reply") }, ""
            ),
            ("scheme", Set(schemes.map(\.name)), ""),
            ("inject", Set(calls.all(.function).map(\.name)), "  // a guess: no script here declares it"),
        ] where !names.isEmpty {
            let list = names.sorted().map { "\(JSON.string($0))" }.joined(separator: ", ")
            lines.append("\"\(key)\": [\(list)],\(why)")
        }
        lines += guessed.map {
            "// \"scheme\": \(JSON.string($0.name)),  // a guess; remove the slashes if it is your app's scheme"
        }
        let bridges = Self.indented(Self.members(bridges))
        return lines + (bridges.isEmpty ? [] : ["\"bridge\": ["] + bridges + ["],"])
    }

    /// The elements of the setting `bridge`, each with the line of a page or script that uses the bridge first.
    private var bridges: [(text: String, comment: String)] {
        var elements: [String: [(String, String)]] = [:]
        for entry in calls.all(.bridge) {
            guard let hint = BridgeHint.named(entry.name) else { continue }
            let isFirst = elements[hint.bridge] == nil
            guard isFirst || !hint.options.isEmpty else { continue }
            // `object` is listed twice if pages use WeixinJSBridge and AlipayJSBridge: the second gets another name.
            let name = isFirst ? "" : #""as": \#(JSON.string(hint.name)), "#
            let bridge = "\(JSON.string(hint.bridge))"
            let text =
                hint.options.isEmpty
                ? bridge : #"{"name": \#(bridge), "options": {\#(name)\#(hint.options.dropFirst())}"#
            elements[hint.bridge, default: []].append((text, "\(entry.path):\(entry.line), \(entry.name)"))
        }
        return elements.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    var summary: [String] {
        let guesses = missing.count(where: \.form.isGuess)
        let counts = [
            ("names for you to answer: ", missing.count, guesses > 0 ? ", \(guesses) of them guessed" : ""),
            ("names that handlers answer: ", answered.count, #"; to mock one, replace {"$pass": true}"#),
            ("calls with computed names, which the log will tell: ", calls.all(.computed).count, ""),
            ("events that your page listens for: ", calls.all(.event).count, ""),
        ].filter { $0.1 > 0 }
        return counts.isEmpty
            ? ["No native call was found."]
            : ["It lists, each with the line where it was found:"] + counts.map { "  \($0)\($1)\($2)" }
    }
}

extension String {
    /// The text with each control character, line breaks among them, replaced by U+FFFD.
    var plain: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
