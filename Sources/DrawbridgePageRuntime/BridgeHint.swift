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
    /// Its bridge.
    package let bridge: String
    /// The bridge's options as JSON; empty for none.
    package let options: String
    /// The functions of the object by which scripts call native.
    private let functions: Functions
    /// Whether the object is usually the page's own library, so that an error about it does not show a missing bridge.
    private let isOfPage: Bool

    private enum Functions: Hashable {
        /// Any: the app defines its own.
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

    /// Found by errors alone: pages that ask for this bridge get it anyway.
    private static let unasked = BridgeHint(
        "WebViewJavascriptBridge", "webviewjavascriptbridge", .these([]))

    /// The members by which an object is known where the browser's error does not name it.
    private static let members = [
        "postMessage": "ReactNativeWebView", "nativePromise": "Capacitor",
        "callHandler": "WebViewJavascriptBridge", "registerHandler": "WebViewJavascriptBridge",
    ]

    /// The hint for the name of an object; nil for an object of no known bridge.
    package static func named(_ name: String) -> BridgeHint? { byName[name] }

    /// Whether a script calls native by this member, and does not only check whether the object exists.
    package func isSpoken(by member: String) -> Bool {
        switch functions {
        case .any: true
        case .these(let names): names.contains(member)
        }
    }

    /// Whether the object's functions are the app's own, whichever they are.
    package var hasAppsFunctions: Bool { functions == .any }

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
