/// A bridge that apps provide: the object by which pages use it, and the option that provides it.
///
/// This is the only list of such bridges. Uncaught errors of pages are searched for these names, and so are the scripts
/// of a served folder.
package struct BridgeHint: Sendable, Hashable {
    /// The global object that pages use: `flutter_inappwebview`.
    package let name: String
    package let bridge: String
    /// The options of the bridge as JSON; empty if it needs none.
    package private(set) var options = ""
    /// Whether the object is usually defined by a library of the page, so that an error about it proves nothing.
    private var isOfPage = false
    /// The script of the page's own that defines the object; nil if the app does.
    package var library: String? { isOfPage || name == "cordova" ? "\(bridge).js" : nil }
    /// What the app appends to its user agent; an example if many apps have this object.
    package private(set) var app = "ShopApp/3.2"
    /// Whether an error names only a member, `callHandler`, which objects of several bridges have.
    package private(set) var isGuess = false

    static let all = [
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
        BridgeHint(name: "kerkee", bridge: "kerkee", isOfPage: true, app: kerkeeUserAgent),
        BridgeHint(name: "jsBridgeClient", bridge: "kerkee", isOfPage: true, app: kerkeeUserAgent),
        BridgeHint(name: "__TAURI_INTERNALS__", bridge: "tauri"),
        BridgeHint(name: "__TAURI__", bridge: "tauri"),
        BridgeHint(name: "prompt(JSON)", bridge: "prompt", isOfPage: true),
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

    /// kerkee's half of the page calls nothing where the browser is neither of iOS nor of Android.
    private static let kerkeeUserAgent = "(iPhone; CPU iPhone OS 18_0 like Mac OS X)"

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Only searched for in errors: pages that ask for this bridge get it without any option.
    private static let unasked = BridgeHint(
        name: "WebViewJavascriptBridge", bridge: "webviewjavascriptbridge")

    /// Members that identify an object, for errors in which the browser names only the member.
    private static let members = [
        "postMessage": "ReactNativeWebView", "nativePromise": "Capacitor", "core": "__TAURI__",
        "invoke": "__TAURI_INTERNALS__", "transformCallback": "__TAURI_INTERNALS__",
        "callHandler": "WebViewJavascriptBridge", "registerHandler": "WebViewJavascriptBridge",
    ]

    package static func named(_ name: String) -> BridgeHint? { byName[name] }

    /// The `webkit.messageHandlers` that the page's half of a bridge posts to, with the name of its hint.
    private static let messageHandlers = [
        "cordova": "cordova", "KKJSBridgeMessage": "KKJSBridge",
        "iOS_Native_InjectJavascript": "WKWebViewJavascriptBridge",
    ]

    /// The bridges that a page may miss with a prompt, by the name that it reports, with the names of their hints.
    private static let prompts = ["cordova": "cordova", "kerkee": "kerkee", "prompt": "prompt(JSON)"]

    package static func ofPrompt(_ name: String) -> BridgeHint? { prompts[name].flatMap(named) }

    package static func ofMessageHandler(_ name: String) -> BridgeHint? {
        messageHandlers[name].flatMap(named)
    }
}

extension BridgeHint {
    /// The bridge that a browser's error names: `X is not defined`, `window.X is undefined`, `reading 'postMessage'`.
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
        if let found = known.first(where: { words.contains($0.name) && !$0.isOfPage }) {
            self = found
        } else if let member, let found = known.first(where: { $0.name == member.value }) {
            self = found
            isGuess = true
        } else {
            return nil
        }
    }
}

/// A bridge that scripts of a served folder use although no option provides it: the script or page that uses it, and the
/// pages that load this script, relative to the folder (`js/app.js`, `cart/index.html`); and the script or page that reads
/// `navigator.userAgent`, to which apps append their names, nil for none.
package typealias SpokenBridge = (
    hint: BridgeHint, file: String, pages: Set<String>, readerOfUserAgent: String?
)
