/// A bridge of an app's that pages speak of by the name of an object, and the option that gives it to pages.
///
/// This is the one list of the names and their bridges. An error that nobody caught in a page is compared with it, and so
/// is what a folder's scripts say.
package struct BridgeHint: Sendable, Hashable {
    /// What the page speaks of: `flutter_inappwebview`.
    package let name: String
    /// What gives it to pages: `--bridge flutter`.
    package var option: String {
        let own = options.isEmpty ? "--bridge \(bridge)" : "--bridge '\(bridge)=\(options)'"
        // Chromium says only which function was not there.
        return self == Self.unasked ? "\(own), or --bridge flutter for flutter_inappwebview" : own
    }
    /// Its bridge.
    package let bridge: String
    /// The bridge's options as JSON; empty for none.
    package let options: String
    /// By which of the object's functions scripts speak to native.
    private let functions: Functions
    /// Whether the object alone is the page's own library, so that a page which fails without it lacks no bridge.
    private let isOfPage: Bool

    private enum Functions: Hashable {
        /// The app's own, whichever they are.
        case any
        case these(Set<String>)
    }

    private init(
        _ name: String, _ bridge: String, with options: String = "", _ functions: Functions,
        isOfPage: Bool = false
    ) {
        self.name = name
        self.bridge = bridge
        self.options = options
        self.functions = functions
        self.isOfPage = isOfPage
    }

    private static let all = [
        BridgeHint("flutter_inappwebview", "flutter", .these(["callHandler"])),
        BridgeHint("ReactNativeWebView", "reactnative", .these(["postMessage"])),
        BridgeHint("_dsbridge", "dsbridge", .these(["call"])),
        BridgeHint("_dswk", "dsbridge", .these([])),
        BridgeHint("dsBridge", "dsbridge", .these(ofDSBridge), isOfPage: true),
        BridgeHint("dsbridge", "dsbridge", .these(ofDSBridge), isOfPage: true),
        BridgeHint("KKJSBridge", "kkjsbridge", .these(["call", "syncCall", "on", "once"])),
        BridgeHint(
            "Capacitor", "capacitor",
            .these(["nativePromise", "nativeCallback", "Plugins", "registerPlugin"])),
        BridgeHint("cordova", "cordova", .these(["exec"])),
        BridgeHint("Android", "android", .any),
        BridgeHint("yy://__QUEUE_MESSAGE__/", "jsbridge-android", .these([]), isOfPage: true),
        BridgeHint(
            "WeixinJSBridge", "object",
            with: #"{"object": "WeixinJSBridge", "method": "invoke", "ready": "WeixinJSBridgeReady", "#
                + #""error": "err_msg", "events": "on"}"#, .these(["invoke", "on"])),
        BridgeHint(
            "AlipayJSBridge", "object",
            with: #"{"object": "AlipayJSBridge", "method": "call", "ready": "AlipayJSBridgeReady"}"#,
            .these(["call"])),
    ]

    private static let ofDSBridge: Set = ["call", "register", "registerAsyn"]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Only errors tell it: pages that ask for this bridge have it.
    private static let unasked = BridgeHint(
        "WebViewJavascriptBridge", "webviewjavascriptbridge", .these([]))

    /// The members of such objects, where a browser does not say of which object one was read.
    private static let members = [
        "postMessage": "ReactNativeWebView", "nativePromise": "Capacitor",
        "callHandler": "WebViewJavascriptBridge", "registerHandler": "WebViewJavascriptBridge",
    ]

    /// The hint for the name of an object; nil for any that is of no bridge from outside.
    package static func named(_ name: String) -> BridgeHint? { byName[name] }

    /// Whether a script speaks to native by this member of the object, and does not only ask whether the object is there.
    package func isSpoken(by member: String) -> Bool {
        switch functions {
        case .any: true
        case .these(let names): names.contains(member)
        }
    }

    /// Whether the object's functions are the app's own, whichever they are.
    package var hasAppsFunctions: Bool { functions == .any }

    /// The hint for what a browser says of an error: `X is not defined`, `window.X is undefined`, `reading 'postMessage'`.
    init?(_ message: String) {
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
