import Drawbridge

// Finds native calls in string literals that are URLs or parts of one: `'/pay?_mobile_bridge=1'`, `'shop://' + name`.
extension PageCalls {
    mutating func readURL(_ text: String, _ place: Int) {
        guard text.utf8.contains(where: { $0 == 0x40 || $0 == 0x5F || $0 == 0x3A }) else { return }
        if text.hasPrefix("@capacitor/") { return addPlugins(before: place) }
        if text.hasPrefix("@tauri-apps/api/") {
            return wait(Form("__TAURI__.invoke 0"[...]), place)
        }
        if text.contains("__QUEUE_MESSAGE__/") { return add("yy://__QUEUE_MESSAGE__/", place, as: .bridge) }
        if text.hasPrefix("kcnative:") { return add("kerkee", place, as: .bridge) }
        guard let (by, name) = Self.native(text) else { return }
        guard by.hasSuffix("://") else {
            let isWhole = scripts[place - 1] != "+" && scripts[place + 1] != "+"
            if name.isEmpty, isWhole { asking.insert(scripts.file(place)) }
            return takeName(name, Form(by), place)
        }
        let isArgument = ["(", ","].contains(scripts[place - 1])
        let words = isArgument ? ["open", "assign", "replace"] : ["src", "href", "location", "action"]
        let isOpened = (isArgument || scripts[place - 1] == "=") && words.contains(scripts[place - 2])
        let isSignal = name == "fetch_message"
        guard isOpened || isSignal || isArgument else { return }
        let form = Form("a URL, which expects no answer", isGuess: !isOpened && !isSignal)
        add(String(by.dropLast(3)), place, form, as: .scheme)
        if text.contains("?action=") || text.contains("&action=") { add("action", place, as: .item) }
        if !isSignal { takeName(name, form, place) }
    }

    /// Adds the call's name from a URL, or from what is concatenated before or after the literal, if the name is there.
    private mutating func takeName(_ name: Substring, _ form: Form, _ place: Int) {
        // `+=` is two tokens: `url += '?_mobile_bridge=1'`
        let mark = scripts[place - 1] == "=" && scripts[place - 2] == "+" ? place - 2 : place - 1
        let isAdded = scripts[mark] == "+"
        var operand = isAdded ? scripts.operand(before: mark) : place..<place
        // The choice between `?` and `&` is skipped: `path + (path.includes('?') ? '&' : '?') + '_mobile_bridge=1'`
        if operand.contains(where: { scripts[$0] == "?" }), scripts[operand.lowerBound - 1] == "+" {
            operand = scripts.operand(before: operand.lowerBound - 1)
        }
        var start = operand.lowerBound
        let isPart = scripts[start - 1] == "+" && scripts.text(start - 2) != "/"
        for _ in 0..<6 where scripts[start - 1] == "+" {
            start = scripts.operand(before: start - 1).lowerBound
        }
        let (text, isOpen) = (scripts.text(place) ?? "", scripts[place + 1] == "+")
        if isAdded, name.isEmpty || isPart {
            if isPart || !takes(operand, form, start) { leave(start) }
        } else if isOpen, !text.contains("?") || text.hasSuffix("action=") {
            // The path before the variable becomes part of the call's name: `'shop://order/' + name`
            var form = form
            if name.hasSuffix("/") { form.owner = String(name.dropLast()) }
            let isEnd = name.isEmpty || name.hasSuffix("/")
            let isWhole = isEnd && takes(scripts.expression(place + 2, until: "+"), form, start)
            if !isWhole { leave(start) }
        } else if !name.isEmpty {
            take(String(name), form, start)
        }
    }

    /// By which bridge a URL calls native, and the call's name, empty if the URL has none; nil for any other URL.
    private static func native(_ url: String) -> (by: String, name: Substring)? {
        let items = url.split(omittingEmptySubsequences: false) { "?&#".contains($0) }
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
            Lack.isScheme(scheme), !Lack.browsersOwn.contains(scheme),
            !Names["schemes"].contains(scheme),
            !["http", "-extension", "sql", "map"].contains(where: scheme.hasSuffix)
        else { return nil }
        return ("\(scheme)://", action ?? path[mark.upperBound...].drop { $0 == "/" })
    }
}
