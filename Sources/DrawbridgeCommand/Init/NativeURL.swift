/// A URL by which a page means native; it may have holes.
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
    /// Which part of it is the name; empty for a request whose body has it.
    let name: Range<String.Index>
    /// Whether it only says that there is something to fetch.
    var isSignal = false
    /// Whether an item of the name `action` names the call.
    var commandItem = false
    /// In short, with `…` for each hole.
    let shown: String

    init?(_ text: String) {
        guard text.utf8.count < 4000 else { return nil }
        // Without a path there is only what is added to one.
        let isAdded = text.hasPrefix("_mobile_bridge=") || text.hasPrefix("&")
        let query =
            isAdded ? text.startIndex : text.firstIndex(of: "?").map(text.index(after:)) ?? text.endIndex
        shown = String(text.prefix(60).map { $0 == ScriptToken.hole ? "…" : $0 })
        if let host = text.firstRange(of: "__jsbridge__") {
            // The host, or a path of the page's own origin.
            let before = text[..<host.lowerBound]
            guard before.hasSuffix("/") else { return nil }
            kind = .request
            let path = Self.path(text, from: host.upperBound)
            name = path.isEmpty ? Self.item("action", of: text, from: query) ?? path : path
        } else if Self.items(of: text, from: query).contains(where: { text[$0] == "_mobile_bridge=1" }) {
            kind = .flagged
            name = isAdded ? query..<query : Self.path(text, from: Self.pathStart(text))
        } else if let mark = text.firstRange(of: "://"), let scheme = Self.appScheme(text[..<mark.lowerBound])
        {
            kind = .scheme(scheme)
            let path = Self.path(text, from: mark.upperBound)
            isSignal = text[path] == "fetch_message"
            let item = Self.item("action", of: text, from: query)
            commandItem = item != nil
            name = item ?? path
        } else {
            return nil
        }
    }

    /// Behind scheme and host, or behind whatever stands there in their place.
    private static func pathStart(_ text: String) -> String.Index {
        if let mark = text.firstRange(of: "://") {
            return text[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        }
        guard text.first == ScriptToken.hole, text.dropFirst().first == "/" else { return text.startIndex }
        return text.index(after: text.startIndex)
    }

    /// The path from a place on, without the slashes around it.
    private static func path(_ text: String, from start: String.Index) -> Range<String.Index> {
        let end = text[start...].firstIndex { "?#&".contains($0) } ?? text.endIndex
        var path = text[start..<end]
        while path.first == "/" { path.removeFirst() }
        while path.last == "/" { path.removeLast() }
        return path.startIndex..<path.endIndex
    }

    private static func items(of text: String, from query: String.Index) -> [Range<String.Index>] {
        let end = text[query...].firstIndex(of: "#") ?? text.endIndex
        return text[query..<end].split { $0 == "&" || $0 == "?" }.map { $0.startIndex..<$0.endIndex }
    }

    /// The value of an item of the query.
    private static func item(_ name: String, of text: String, from query: String.Index) -> Range<
        String.Index
    >? {
        items(of: text, from: query).lazy.map { text[$0] }.first { $0.hasPrefix("\(name)=") }
            .map { item in
                let value = item.dropFirst(name.count + 1)
                return value.startIndex..<value.endIndex
            }
    }

    /// A scheme that may be the app's own; nil for those that browsers and other programs have.
    private static func appScheme(_ text: Substring) -> String? {
        let name = text.lowercased()
        guard PageOptions.isScheme(name), !PageOptions.browsersOwn.contains(name), name.utf8.count <= 40,
            !others.contains(name), !name.hasSuffix("+http"), !name.hasPrefix("git"),
            !name.hasSuffix("-extension")
        else { return nil }
        return name
    }

    /// Schemes of systems and of well-known programs, which the page's own app does not answer.
    private static let others: Set<String> = [
        "alipay", "alipays", "amapuri", "amqp", "android-app", "androidamap", "app-settings", "baidumap",
        "capacitor", "chrome", "comgooglemaps", "dingtalk", "facetime", "fb", "fbapi", "gopher", "imap",
        "intent",
        "ionic", "iosamap", "ipfs", "irc", "itms", "itms-apps", "itms-appss", "itms-services", "jdbc", "ldap",
        "ldaps", "line", "mailto", "maps", "market", "moz", "mqq", "mqqapi", "mongodb", "mqtt", "mysql",
        "nfs",
        "npm", "openapp.jdmobile", "pinduoduo", "postgres", "postgresql", "qqmap", "redis", "rediss", "res",
        "resource", "rtmp", "rtsp", "s3", "sftp", "sinaweibo", "sms", "smb", "snssdk1128", "ssh", "sqlite",
        "svn", "taobao", "tbopen", "tel", "telnet", "tg", "tmall", "turn", "twitter", "udp", "tcp", "unix",
        "urn",
        "view-source", "vnd.youtube", "vscode", "webpack", "webpack-internal", "weixin", "whatsapp", "wtai",
        "wvjbscheme", "xmpp", "zoommtg", "zoomus", "node", "virtual", "vite",
    ]
}
