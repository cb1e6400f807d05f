/// A form in which pages call native: a function of a bridge, or of the page's own that hands a parameter to one.
struct CallForm: Hashable {
    /// The function's name, or that of the object that has the function.
    var word = ""
    /// The function in the object, `.call`; empty if any object may have the function.
    var method = ""
    /// How the page calls, for the comment in drawbridge.json: `by WebViewJavascriptBridge`.
    var by: String
    var isEvent = false
    /// The argument with the call's name, a string, or an object with the name as its member in `keys`.
    var index = 0
    var keys: [String] = []
    /// The argument with the service or plugin, and its value, which precedes the call's name: `Camera/getPhoto`.
    var ownerIndex: Int?
    var owner = ""
    var isGuess = false
    /// The global that is the app's only if no script declares it.
    var global = ""
    /// How many of the page's functions may still be between.
    var levels = 2

    init(_ by: String, keys: [String] = [], owner: String = "", isGuess: Bool = false, global: String = "") {
        (self.by, self.keys, self.owner, self.isGuess, self.global) = (by, keys, owner, isGuess, global)
    }

    /// An entry of the table below.
    private init(entry: Substring) {
        let parts = entry.split(separator: " ")
        let path = parts[0].split(separator: ".")
        (word, method) = (String(path[0]), path.count > 1 ? ".\(path[1])" : "")
        isEvent = parts[1] == "event"
        (index, ownerIndex) = (Int(parts[1]) ?? 0, parts.count > 2 ? Int(parts[2]) : nil)
        let functions = ["callNative": "callNative()", "invoke": "__TAURI__"]
        by = functions[word] ?? (method.isEmpty ? "WebViewJavascriptBridge" : word)
        if method == ".postMessage" { keys = ["type", "action", "method", "event", "name", "command"] }
        if Self.globals.contains(word) { global = word }
    }

    /// Objects and functions that only the app declares, unlike those of a bridge's library.
    static let globals: Set = [
        "callNative", "fetchMessages", "Android", "flutter_inappwebview", "Capacitor", "ReactNativeWebView",
        "WeixinJSBridge", "AlipayJSBridge", "WKWebViewJavascriptBridge", "_dsbridge", "__TAURI_INTERNALS__",
    ]

    /// Words of a bridge's library, each with the bridge's object.
    static let marks = [
        "__QUEUE_MESSAGE__": "yy://__QUEUE_MESSAGE__/", "kcnative": "kerkee",
        "iOS_Native_InjectJavascript": "WKWebViewJavascriptBridge",
    ]

    /// Each function with the index of the argument that has the call's name, or `event`, and that of the service.
    static let bridges = """
        callHandler 0, registerHandler event, callNative 0, flutter_inappwebview.callHandler 0
        dsBridge.call 0, dsBridge.register event, dsBridge.registerAsyn event
        dsbridge.call 0, dsbridge.register event, dsbridge.registerAsyn event, _dsbridge.call 0
        KKJSBridge.call 1 0, KKJSBridge.syncCall 1 0, KKJSBridge.on event, KKJSBridge.once event
        Capacitor.nativePromise 1 0, Capacitor.nativeCallback 1 0, cordova.exec 3 2
        WKWebViewJavascriptBridge.callHandler 0, WKWebViewJavascriptBridge.registerHandler event
        kerkee.invoke 1 0, kerkee.addEventListener event, jsBridgeClient.invoke 1 0
        jsBridgeClient.addEventListener event, __TAURI_INTERNALS__.invoke 0, ReactNativeWebView.postMessage 0
        WeixinJSBridge.invoke 0, WeixinJSBridge.on event, AlipayJSBridge.call 0
        """.split { "\n,".contains($0) }.map { CallForm(entry: $0) }

    /// What a page imports of Tauri's package, or takes out of its object.
    static let tauri = CallForm(entry: "invoke 0")
}

/// The lists of `names.txt`, by the first word of their headings: `Names["window"]`.
enum Names {
    private static let all = Dictionary(
        uniqueKeysWithValues: String(decoding: WelcomePage.texts["names.txt"], as: UTF8.self).split(
            separator: "# "
        )
        .map { list in
            let lines = list.split(separator: "\n")
            let names = lines.dropFirst().flatMap { $0.split(separator: " ").map(String.init) }
            return (String(lines[0].prefix { $0 != ":" }), Set(names))
        })

    static subscript(list: String) -> Set<String> { all[list, default: []] }
}
