import Drawbridge

// Texts that are URLs, or the greater part of one: `'/pay?_mobile_bridge=1'`, `'shop://' + name`.
extension PageCalls {
    mutating func readText(_ text: String, _ place: Int) {
        if text.hasPrefix("@capacitor/") { return addPlugins(before: place) }
        if text.contains("__QUEUE_MESSAGE__/") { return speak("yy://__QUEUE_MESSAGE__/", place) }
        guard let (bridge, name) = Self.native(text) else { return }
        guard bridge.hasSuffix("://") else {
            let isWhole = scripts[place - 1] != "+" && scripts[place + 1] != "+"
            if name.isEmpty, isWhole { asking.insert(scripts.tokens[place].file) }
            return takeName(name, Sink(bridge), place)
        }
        let isArgument = ["(", ","].contains(scripts[place - 1])
        let words = isArgument ? ["open", "assign", "replace"] : ["src", "href", "location", "action"]
        let isOpened = (isArgument || scripts[place - 1] == "=") && words.contains(scripts[place - 2])
        let isSignal = name == "fetch_message"
        guard isOpened || isSignal || isArgument else { return }
        let scheme = String(bridge.dropLast(3))
        schemes[scheme] = (schemes[scheme] ?? true) && !isOpened && !isSignal
        if text.contains("?action=") || text.contains("&action=") { commandItem = "action" }
        if !isSignal { takeName(name, Sink("a URL, which expects no answer", isGuess: !isOpened), place) }
    }

    /// Takes the name in a URL, or what is put in front of the text or behind it, where that is the name.
    private mutating func takeName(_ name: Substring, _ sink: Sink, _ place: Int) {
        let isAdded = scripts[place - 1] == "+"
        var operand = isAdded ? scripts.operand(before: place - 1) : place..<place
        // `path + (path.includes('?') ? '&' : '?') + '_mobile_bridge=1'`
        if operand.contains(where: { scripts[$0] == "?" }), scripts[operand.lowerBound - 1] == "+" {
            operand = scripts.operand(before: operand.lowerBound - 1)
        }
        var start = operand.lowerBound
        let isPart = scripts[start - 1] == "+" && scripts[start - 2] != "'/"
        for _ in 0..<6 where scripts[start - 1] == "+" {
            start = scripts.operand(before: start - 1).lowerBound
        }
        let (text, isOpen) = (scripts[place], scripts[place + 1] == "+")
        if isAdded, name.isEmpty || isPart {
            if isPart || !takes(operand, sink, start) { leave(start) }
        } else if isOpen, !text.contains("?") || text.hasSuffix("action=") {
            let isWhole = name.isEmpty && takes(scripts.expression(place + 2, until: "+"), sink, start)
            if !isWhole { leave(start) }
        } else if !name.isEmpty {
            take(String(name), sink, start)
        }
    }

    /// How a URL calls native, and the name in it, empty where it has none.
    private static func native(_ url: String) -> (bridge: String, name: Substring)? {
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
        guard let mark, case let scheme = path[..<mark.lowerBound].lowercased(), isOfApp(scheme: scheme)
        else { return nil }
        return ("\(scheme)://", action ?? path[mark.upperBound...].drop { $0 == "/" })
    }

    /// Whether a scheme is none of browsers' and other programs'.
    private static func isOfApp(scheme: String) -> Bool {
        let isOther =
            others.contains(scheme) || PageOptions.browsersOwn.contains(scheme)
            || ["git", "itms", "alipay", "webpack", "mqq"].contains(where: scheme.hasPrefix)
            || ["http", "-extension", "sql", "map"].contains(where: scheme.hasSuffix)
        return PageOptions.isScheme(scheme) && scheme.utf8.count <= 40 && !isOther
    }

    private static let others: Set = [
        "android-app", "capacitor", "chrome", "dingtalk", "intent", "ionic", "line", "mailto", "maps",
        "market", "mongodb", "mqtt", "redis", "rtmp", "rtsp", "s3", "sftp", "sms", "ssh", "taobao", "tbopen",
        "tel", "tg", "tmall", "twitter", "urn", "vscode", "weixin", "whatsapp", "wvjbscheme", "yy", "zoomus",
    ]
}
