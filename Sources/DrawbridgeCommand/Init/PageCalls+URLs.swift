// Calls by what is not a function with a name: message handlers, methods of `Android`, and URLs.
extension PageCalls {
    /// Adds the calls `messageHandlers.pay.postMessage(…)` and `messageHandlers[name].postMessage(…)`.
    mutating func readMessage(_ word: Script.Word) {
        let form = /(?:\s+as\s+\w+\))?(?:\.([\w$]+)|\[\s*([^\]\n]+)\])\.postMessage\(((?s:.*))/
        guard let (_, key, code, rest) = script.after(word).prefixMatch(of: form)?.output else { return }
        let name = key ?? code.flatMap { Self.literal($0).text } ?? ""
        // Posted to by a bridge's library in the page, such as Cordova's: the handler's name is not that of a call.
        guard BridgeHint.ofMessageHandler(String(name)) == nil else { return }
        let isAwaited =
            rest.contains(/^[^;\n]*\)\.(?:then|catch)/) || script.before(word).contains(/await [\w$.(]*$/)
        if isAwaited, Lack.isIdentifier(String(name)) { add("\(name)=reply", word, as: .handler) }
        if name == "JSBridge" {
            add("JSBridge", word, as: .handler)
            take(rest, CallForm("messageHandlers.JSBridge", keys: ["action"]), word)
        } else {
            take(name.isEmpty ? code ?? "" : "'\(name)'", CallForm("messageHandlers."), word)
        }
    }

    /// Adds the call `Android.pay(…)`.
    mutating func readMethod(_ word: Script.Word) {
        guard Self.isGlobal(script.path(before: word)),
            let method = script.after(word).prefixMatch(of: /\.([\w$]+)\(/)?.1
        else { return }
        let form = CallForm("Android", owner: "Android", global: "Android")
        add("Android", word, form, as: .bridge)
        _ = takes(String(method), form, word)
    }

    mutating func readURLs() {
        var isAsking = false
        for word in words("_mobile_bridge") + words("__jsbridge__") + words("://") {
            let string = script.string(around: word)
            if let string, let (by, name) = Self.native(script.text(string.range)) {
                if !read(string, by, name) { isAsking = true }
            } else if script.after(word, 1) == ":", script.text(word.range) == "_mobile_bridge" {
                leave(word)
            }
        }
        // A URL without a name: it is in the JSON that is sent.
        for word in isAsking ? words("stringify") : [] where script.after(word, 2) == "({" {
            _ = takes(script.after(word).dropFirst(), CallForm("http://__jsbridge__", keys: ["action"]), word)
        }
    }

    /// Adds the name in a URL, or in what is added to it, `'shop://' + name`, `path + '?_mobile_bridge=1'`; returns
    /// false if it has none.
    private mutating func read(_ url: Script.Word, _ by: String, _ name: Substring) -> Bool {
        var form = CallForm(by)
        let (before, after) = (script.before(url), script.after(url))
        if by.hasSuffix("://") {
            let opener = before.firstMatch(of: /([\w$]*)(?:\(|,\s*| ?= ?)$/)?.1 ?? ""
            let isOpened = ["open", "assign", "replace", "src", "href", "location", "action"].contains(opener)
            let isSignal = name == "fetch_message"
            guard isOpened || isSignal || before.contains(/[(,]\s*$/) else { return true }
            form = CallForm("a URL, which expects no answer", isGuess: !isOpened && !isSignal)
            add(String(by.dropLast(3)), url, form, as: .scheme)
            if isSignal { return true }
        }
        let added = before.firstMatch(of: /([\w$.]+)\s*\+(?:\s*\(.*\?.*\)\s*\+)?=?\s*$/)?.1
        let adding = after.prefixMatch(of: /\s*\+\s*([^+,;\n]+)/)?.1
        if let start = name.firstRange(of: "${"), name.hasSuffix("}") {
            form.owner = String(name[..<start.lowerBound].dropLast())
            take(name[start.upperBound...].dropLast(), form, url)
        } else if name.isEmpty, let added {
            take(added, form, url)
        } else if let adding, name.isEmpty || name.hasSuffix("/") {
            form.owner = String(name.dropLast())
            take(adding, form, url)
        } else if !name.isEmpty {
            // What precedes the path in a template literal is the server: `${base}/login`
            take("'\(name.hasPrefix("${") ? name.drop { $0 != "}" }.dropFirst(2) : name)'", form, url)
        }
        return !name.isEmpty || added != nil || adding != nil
    }

    /// By which bridge a URL calls native, and the call's name, empty if the URL has none; nil for any other URL.
    private static func native(_ string: String) -> (by: String, name: Substring)? {
        let items = string.dropFirst().dropLast().split(omittingEmptySubsequences: false) {
            "?&#".contains($0)
        }
        let action = items.first { $0.hasPrefix("action=") }?.dropFirst("action=".count)
        let path = items[0]
        let mark = path.firstRange(of: "://")
        if let host = path.firstRange(of: "/__jsbridge__") {
            let name = path[host.upperBound...].drop { $0 == "/" }
            return ("http://__jsbridge__", name.isEmpty ? action ?? "" : name)
        }
        if items.contains("_mobile_bridge=1") {
            let path = mark.map { path[$0.upperBound...].drop { $0 != "/" } } ?? path
            return ("a flagged request", path == "_mobile_bridge=1" ? "" : path.drop { $0 == "/" })
        }
        guard let mark, case let scheme = path[..<mark.lowerBound].lowercased(), scheme.utf8.count <= 40,
            Lack.isScheme(scheme), !Lack.browsersOwn.contains(scheme), !Names["schemes"].contains(scheme),
            !["http", "-extension", "sql", "map"].contains(where: scheme.hasSuffix)
        else { return nil }
        return ("\(scheme)://", action ?? path[mark.upperBound...].drop { $0 == "/" })
    }
}
