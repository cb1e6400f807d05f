/// An app's bridge, known by the object that pages use, and the option that gives it to pages.
///
/// The only list of these. Errors that nobody caught in a page are compared with it, and so are the scripts of a
/// served folder.
package struct BridgeHint: Sendable, Hashable {
    /// The object that the page uses: `flutter_inappwebview`.
    package let name: String
    /// What gives it to pages: `--bridge flutter`.
    package var option: String {
        let own = options.isEmpty ? "--bridge \(bridge)" : "--bridge '\(bridge)=\(options)'"
        // Chromium's error names only the function, `callHandler`, which both bridges have.
        return self == Self.unasked ? "\(own), or --bridge flutter for flutter_inappwebview" : own
    }
    package let bridge: String
    /// The bridge's options as JSON; empty for none.
    package private(set) var options = ""
    /// Whether the object is usually the page's own library, so that an error about it does not show a missing bridge.
    private var isOfPage = false
    /// How the app calls itself in the user agent; an example where the object belongs to no single app.
    private(set) var app = "ShopApp/3.2"

    private static let all = [
        BridgeHint(name: "flutter_inappwebview", bridge: "flutter"),
        BridgeHint(name: "ReactNativeWebView", bridge: "reactnative"),
        BridgeHint(name: "_dsbridge", bridge: "dsbridge"),
        BridgeHint(name: "_dswk", bridge: "dsbridge"),
        BridgeHint(name: "dsBridge", bridge: "dsbridge", isOfPage: true),
        BridgeHint(name: "dsbridge", bridge: "dsbridge", isOfPage: true),
        BridgeHint(name: "KKJSBridge", bridge: "kkjsbridge"),
        BridgeHint(name: "WKWebViewJavascriptBridge", bridge: "wkwebviewjavascriptbridge"),
        BridgeHint(name: "Capacitor", bridge: "capacitor"),
        BridgeHint(name: "cordova", bridge: "cordova"),
        BridgeHint(name: "Android", bridge: "android"),
        BridgeHint(name: "yy://__QUEUE_MESSAGE__/", bridge: "jsbridge-android", isOfPage: true),
        BridgeHint(
            name: "WeixinJSBridge", bridge: "object",
            options: #"{"object": "WeixinJSBridge", "method": "invoke", "ready": "WeixinJSBridgeReady", "#
                + #""error": "err_msg", "events": "on"}"#, app: "MicroMessenger/8.0.50"),
        BridgeHint(
            name: "AlipayJSBridge", bridge: "object",
            options: #"{"object": "AlipayJSBridge", "method": "call", "ready": "AlipayJSBridgeReady"}"#,
            app: "AlipayClient/10.5.88"),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Found by errors alone: pages that ask for this bridge get it anyway.
    private static let unasked = BridgeHint(
        name: "WebViewJavascriptBridge", bridge: "webviewjavascriptbridge")

    /// The members by which an object is known where the browser's error does not name it.
    private static let members = [
        "postMessage": "ReactNativeWebView", "nativePromise": "Capacitor",
        "callHandler": "WebViewJavascriptBridge", "registerHandler": "WebViewJavascriptBridge",
    ]

    package static func named(_ name: String) -> BridgeHint? { byName[name] }

    /// The message handlers by which the page's half of a bridge speaks, with the names of its hint.
    private static let messageHandlers = [
        "cordova": "cordova", "KKJSBridgeMessage": "KKJSBridge",
        "iOS_Native_InjectJavascript": "WKWebViewJavascriptBridge",
    ]

    package static func ofMessageHandler(_ name: String) -> BridgeHint? {
        messageHandlers[name].flatMap(named)
    }
}

extension BridgeHint {
    /// The hint for what a browser says of an error: `X is not defined`, `window.X is undefined`, `reading 'postMessage'`.
    package init?(_ message: String) {
        let isUndefined = ["is not defined", "undefined", "Can't find variable"].contains(
            where: message.contains)
        guard isUndefined else { return nil }
        let words = Set(
            message.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }.map(String.init))
        let member = Self.members.first {
            words.contains($0.key) && message.contains("(reading '\($0.key)')")
        }
        let known = Self.all + [Self.unasked]
        let found = known.first { words.contains($0.name) && !$0.isOfPage }
        guard let hint = found ?? member.flatMap({ member in known.first { $0.name == member.value } }) else {
            return nil
        }
        self = hint
    }
}

/// A bridge that the scripts of a served folder use, and that pages do not get.
package struct SpokenBridge: Sendable {
    package let hint: BridgeHint
    /// The script or page that uses it, below the folder: `js/app.js`.
    package let file: String
    /// The pages that have this script, by the paths of their files below the folder: `cart/index.html`.
    package let pages: Set<String>
    /// The script or page that reads `navigator.userAgent`, in which apps write their names; nil for none.
    package var readerOfUserAgent: String?

    package init(
        _ hint: BridgeHint, in file: String, of pages: Set<String>, readerOfUserAgent: String? = nil
    ) {
        self.hint = hint
        self.file = file
        self.pages = pages
        self.readerOfUserAgent = readerOfUserAgent
    }

    package var sentence: String {
        let bridge = "\(file) speaks of \(hint.name): start with \(hint.option)"
        guard let readerOfUserAgent else { return bridge }
        return """
            \(bridge); \(readerOfUserAgent == file ? "it" : readerOfUserAgent) reads navigator.userAgent: if that is to \
            name the app, add --user-agent '{{userAgent}} \(hint.app)'
            """
    }
}
