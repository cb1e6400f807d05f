import Drawbridge

// Strings, and the URLs that are concatenated of them: `'/' + name + '?_mobile_bridge=1'`.
extension PageCalls {
    mutating func readText(_ place: Int) {
        let text = scripts.tokens[place].string
        if text.lowercased().hasSuffix("://__bridge_loaded__") { add(.libraryURL, place) }
        if text.hasPrefix("@capacitor/") { capacitor.insert(scripts.file(place)) }
        let half =
            Self.halves.first { text.hasPrefix($0.0) }?.1
            ?? (scripts.isImported(place) ? ["dsbridge": "dsBridge", "cordova/exec": "cordova"][text] : nil)
        if let half { return speak(half, place) }
        guard text.contains("_") || text.contains("://"),
            !scripts.isMark("+", place - 1) || text.contains("_mobile_bridge=1")
        else { return }
        let (url, holes) = scripts.joined(place)
        guard let native = NativeURL(url) else { return }
        var name = Value.text(String(native.name))
        if native.name.contains(Scripts.hole) {
            let index = url[..<native.name.startIndex].count { $0 == Scripts.hole }
            name =
                native.name == String(Scripts.hole) && holes.indices.contains(index) ? holes[index] : .unknown
        }
        let shown = String(url.prefix(60))
        switch native.kind {
        case .flagged: take(name, Rule(.flagged), place, shown)
        case .request where native.name.isEmpty: asking.insert(scripts.file(place))
        case .request: take(name, Rule(.request), place, shown)
        case .scheme(let scheme):
            let isSignal = native.name == "fetch_message"
            let isArgument = scripts.isMark("(", place - 1) || scripts.isMark(",", place - 1)
            let words = isArgument ? ["open", "assign", "replace"] : ["src", "href", "location", "action"]
            let isOpened =
                (isArgument || scripts.isMark("=", place - 1))
                && words.contains(scripts.word(place - 2) ?? "")
            guard isOpened || isSignal || isArgument else { return }
            add(.scheme(scheme), place)
            schemes[scheme] = (schemes[scheme] ?? true) && !isOpened && !isSignal
            if native.hasItem { commandItem = "action" }
            if !isSignal, !native.name.isEmpty {
                take(name, Rule(.commandURL, isGuess: !isOpened), place, shown)
            }
        }
    }

    /// Prefixes of strings that only the JavaScript half of a bridge has, with the name of its `BridgeHint`.
    private static let halves = [
        ("_dsbridge=", "_dsbridge"), ("yy://__QUEUE_MESSAGE__", "yy://__QUEUE_MESSAGE__/"),
        ("yy://return/", "yy://__QUEUE_MESSAGE__/"), ("__QUEUE_MESSAGE__/", "yy://__QUEUE_MESSAGE__/"),
    ]
}

extension Scripts {
    /// The files that a page loads as scripts, or that a script imports.
    func references(of file: Int) -> [String] {
        files[file].tokens.filter { place in
            tokens[place].kind == .text
                && (isImported(place) || isMark("=", place - 1) && word(place - 2) == "src")
        }.map { tokens[$0].string }
    }

    /// Whether a text names a file that is imported.
    func isImported(_ place: Int) -> Bool {
        ["from", "import"].contains(word(place - 1))
            || isMark("(", place - 1) && ["require", "import"].contains(word(place - 2))
    }

    /// The whole concatenation or template that a text is part of; each hole in it is an expression.
    fileprivate func joined(_ place: Int) -> (text: String, holes: [Value]) {
        var start = place
        for _ in 0..<6 where isMark("+", start - 1) {
            if let open = partner(start - 2), open < start { start = open } else { start -= 2 }
            for _ in 0..<20 where isMark(".", start - 1) || word(start - 1) != nil && isMark("(", start) {
                start -= isMark(".", start - 1) ? 2 : 1
            }
        }
        var (text, holes, end) = ("", [Value](), max(start, 0))
        for _ in 0..<40 {
            let start = end
            if end < tokens.count, tokens[end].kind == .text {
                text += tokens[end].string
                for _ in 0..<tokens[end].holes {
                    holes.append(partner(end + 1).map { value(end + 2..<$0) } ?? .unknown)
                    end = partner(end + 1) ?? end
                }
                end += 1
            } else {
                let limit = self.end(start)
                while end < limit, !isMark("+", end) { end = max(end, tokens[end].partner) + 1 }
                end = min(end, limit)
                text.append(Self.hole)
                holes.append(value(start..<end))
            }
            guard isMark("+", end), text.utf8.count < 4000 else { break }
            end += 1
        }
        return (text, holes)
    }
}

/// A URL by which a page calls native; `…` stands for a part that is computed at run time.
struct NativeURL {
    enum Kind: Equatable {
        /// `/login?_mobile_bridge=1`.
        case flagged
        /// `http://__jsbridge__/login`.
        case request
        /// `mizhua://fetch_message`, or a command: `mizhua://toast?message=Hello`.
        case scheme(String)
    }

    let kind: Kind
    /// The call's name; empty where the URL does not have it.
    let name: Substring
    /// Whether the query item `action` has the call's name.
    var hasItem = false

    init?(_ text: String) {
        let front = text.prefix { $0 != "?" && $0 != "#" && $0 != "&" }
        let items = text.dropFirst(front.count).prefix { $0 != "#" }.split { $0 == "&" || $0 == "?" }
        let action = items.first { $0.hasPrefix("action=") }?.dropFirst("action=".count)
        // The question mark may be in the part that is computed.
        let added = "…_mobile_bridge=1"
        if let host = front.firstRange(of: "__jsbridge__") {
            guard front[..<host.lowerBound].hasSuffix("/") else { return nil }
            let path = Self.trimmed(front[host.upperBound...])
            (kind, name) = (.request, path.isEmpty ? action ?? path : path)
        } else if items.contains("_mobile_bridge=1") || front.hasSuffix(added) {
            var path = front.firstRange(of: "://").map { front[$0.upperBound...].drop { $0 != "/" } } ?? front
            if path.hasSuffix(added) { path.removeLast(added.count) }
            (kind, name) = (.flagged, Self.trimmed(path.hasPrefix("…/") ? path.dropFirst() : path))
        } else if let mark = front.firstRange(of: "://"),
            let scheme = Self.appScheme(front[..<mark.lowerBound])
        {
            (kind, name) = (.scheme(scheme), action ?? Self.trimmed(front[mark.upperBound...]))
            hasItem = action != nil
        } else {
            return nil
        }
    }

    /// A path without the slashes around it.
    private static func trimmed(_ text: Substring) -> Substring {
        var path = text.drop { $0 == "/" }
        while path.last == "/" { path.removeLast() }
        return path
    }

    /// A scheme that may be the app's own; nil for those that browsers and other programs have.
    private static func appScheme(_ text: Substring) -> String? {
        let name = text.lowercased()
        let isOther =
            others.contains(name) || PageOptions.browsersOwn.contains(name)
            || ["git", "itms", "alipay", "webpack", "mqq"].contains(where: name.hasPrefix)
            || ["http", "-extension", "sql", "map"].contains(where: name.hasSuffix)
        return PageOptions.isScheme(name) && name.utf8.count <= 40 && !isOther ? name : nil
    }

    private static let others: Set<String> = [
        "android-app", "app-settings", "capacitor", "chrome", "dingtalk", "facetime", "fb", "intent", "ionic",
        "line",
        "mailto", "maps", "market", "mongodb", "mqtt", "nfs", "npm", "pinduoduo", "redis", "rtmp", "rtsp",
        "s3", "sftp",
        "sinaweibo", "sms", "smb", "ssh", "taobao", "tbopen", "tel", "tg", "tmall", "twitter", "urn",
        "view-source",
        "virtual", "vscode", "weixin", "whatsapp", "wvjbscheme", "yy", "zoommtg", "zoomus",
    ]
}
