import Drawbridge

// Strings, and the URLs that are concatenated of them: `'/' + name + '?_mobile_bridge=1'`.
extension PageCalls {
    mutating func readText(_ text: String, _ place: Int) {
        let file = scripts.file(place)
        let isImported = scripts.isImported(place)
        if text.lowercased().hasSuffix("://__bridge_loaded__") {
            ways[file, default: []].insert(.given(text))
        }
        if isImported, text.hasPrefix("@capacitor/") {
            capacitor.insert(file)
            if text != "@capacitor/core" { addPlugins(place - 2) }
        }
        let half = isImported ? Self.imports[text] : Self.halves.first { text.hasPrefix($0.0) }?.1
        if let half { return speak(half, place, isHalf: true) }
        // Another concatenated part is read with the first one.
        guard text.contains("_mobile_bridge=1") || text.contains("://") || text.contains("__jsbridge__"),
            scripts[place - 1] != "+" || text.contains("_mobile_bridge=1")
        else { return }
        var start = place
        for _ in 0..<6 where scripts[start - 1] == "+" { start = scripts.start(start - 2) }
        let pieces = scripts.pieces(start..<max(start, scripts.end(start)))
        let texts = pieces.map { $0.count == 1 ? scripts.text($0.lowerBound) ?? "…" : "…" }
        // The question mark may be in the part that is computed.
        let url = texts.joined().replacing("…_mobile_bridge=1", with: "?_mobile_bridge=1")
        guard let (way, name, isItem) = Self.native(url) else { return }
        var sink = Sink(way)
        if case .scheme(let scheme) = way {
            let isSignal = name == "fetch_message"
            let isArgument = ["(", ","].contains(scripts[start - 1])
            let words = isArgument ? ["open", "assign", "replace"] : ["src", "href", "location", "action"]
            let isOpened = (isArgument || scripts[start - 1] == "=") && words.contains(scripts[start - 2])
            guard isOpened || isSignal || isArgument else { return }
            sink = Sink(.other("a URL, which expects no answer"), isGuess: !isOpened)
            ways[file, default: []].insert(way)
            schemes[scheme] = (schemes[scheme] ?? true) && !isOpened && !isSignal
            if isItem { commandItem = "action" }
            if isSignal { return }
        }
        if way == Self.request, name.isEmpty { asking.insert(file) }
        // The name may be a part that is computed.
        let holes = pieces.indices.filter { texts[$0] == "…" }
        if name == "…", let hole = holes.dropFirst(url[..<name.startIndex].count { $0 == "…" }).first {
            take(pieces[hole], sink, start)
        } else if name.contains("…") {
            leave(start)
        } else if !name.isEmpty {
            found(String(name), sink, start)
        }
    }

    private static let request = NativeBridge.given("http://__jsbridge__")

    /// How a URL calls native, the name in it, empty where it has none, and whether the query item `action` has it.
    ///
    /// `/login?_mobile_bridge=1`, `http://__jsbridge__/login`, `mizhua://toast?message=Hello`; `…` stands for what is computed.
    private static func native(_ url: String) -> (way: NativeBridge, name: Substring, isItem: Bool)? {
        let front = url.prefix { !"?#&".contains($0) }
        let items = url[front.endIndex...].prefix { $0 != "#" }.split { "?&".contains($0) }
        let action = items.first { $0.hasPrefix("action=") }?.dropFirst("action=".count)
        let mark = front.firstRange(of: "://")
        let scheme = mark.map { front[..<$0.lowerBound].lowercased() } ?? ""
        func trimmed(_ path: Substring) -> Substring {
            let end = path.lastIndex { $0 != "/" } ?? path.startIndex
            return path.isEmpty ? path : path[...end].drop { $0 == "/" }
        }
        if let host = front.firstRange(of: "__jsbridge__") {
            let name = trimmed(front[host.upperBound...])
            return front[..<host.lowerBound].hasSuffix("/")
                ? (request, name.isEmpty ? action ?? "" : name, false) : nil
        }
        if items.contains("_mobile_bridge=1") {
            let path = mark.map { front[$0.upperBound...].drop { $0 != "/" } } ?? front
            return (
                .given("a flagged request"), trimmed(path.hasPrefix("…/") ? path.dropFirst() : path), false
            )
        }
        let isOther =
            others.contains(scheme) || PageOptions.browsersOwn.contains(scheme)
            || ["git", "itms", "alipay", "webpack", "mqq"].contains(where: scheme.hasPrefix)
            || ["http", "-extension", "sql", "map"].contains(where: scheme.hasSuffix)
        guard let mark, PageOptions.isScheme(scheme), scheme.utf8.count <= 40, !isOther else { return nil }
        return (.scheme(scheme), action ?? trimmed(front[mark.upperBound...]), action != nil)
    }

    /// Schemes of browsers and of other programs.
    private static let others: Set = [
        "android-app", "capacitor", "chrome", "dingtalk", "intent", "ionic", "line", "mailto", "maps",
        "market", "mongodb", "mqtt", "redis", "rtmp", "rtsp", "s3", "sftp", "sms", "ssh", "taobao", "tbopen",
        "tel", "tg", "tmall", "twitter", "urn", "vscode", "weixin", "whatsapp", "wvjbscheme", "yy", "zoomus",
    ]

    /// Beginnings of strings that only the JavaScript half of a bridge has, and modules of bridges, with their `BridgeHint`.
    private static let halves = [
        ("_dsbridge=", "_dsbridge"), ("yy://__QUEUE_MESSAGE__", "yy://__QUEUE_MESSAGE__/"),
        ("yy://return/", "yy://__QUEUE_MESSAGE__/"), ("__QUEUE_MESSAGE__/", "yy://__QUEUE_MESSAGE__/"),
    ]
    private static let imports = ["dsbridge": "dsBridge", "cordova/exec": "cordova"]
}

extension Scripts {
    /// Whether a text names a file that is imported.
    func isImported(_ place: Int) -> Bool {
        ["from", "import"].contains(self[place - 1])
            || self[place - 1] == "(" && ["require", "import"].contains(self[place - 2])
    }
}
