/// One form of native calls in scripts: a bridge's function, or a page's function that hands its parameter to one.
struct CallForm: Hashable {
    /// The object whose method the function is, such as `dsBridge`; empty if any object may have it.
    var object = ""
    /// How the page calls, for the comment in drawbridge.json: `by WebViewJavascriptBridge`.
    var by: String
    var isEvent = false
    /// The argument with the call's name, whose place in a function's arguments is the index: a string, or an object with the name as its member in `keys`.
    var index = 0
    var keys: [String] = []
    /// The argument with the service or plugin, and its value, which precedes the call's name: `Camera/getPhoto`.
    var ownerIndex: Int?
    var owner = ""
    var isGuess = false
    /// The global that is the app's only if no script declares it.
    var global = ""

    init(_ by: String, keys: [String] = [], owner: String = "", isGuess: Bool = false, global: String = "") {
        (self.by, self.keys, self.owner, self.isGuess, self.global) = (by, keys, owner, isGuess, global)
    }

    init(_ words: [Substring]) {
        let path = words[0].split(separator: ".").map(String.init)
        isEvent = words[1] == "event"
        (index, ownerIndex) = (Int(words[1]) ?? 0, words.count > 2 ? Int(words[2]) : nil)
        object = path.count > 1 ? path[0] : ""
        by = path[0] == "callNative" ? "callNative()" : path.count > 1 ? path[0] : "WebViewJavascriptBridge"
        if path.last == "postMessage" { keys = ["type", "action", "method", "event", "name", "command"] }
        // A library in the page declares these objects, and still needs the app to provide the native side.
        let isOfPage = ["cordova", "dsBridge", "dsbridge", "KKJSBridge", "kerkee", "jsBridgeClient"].contains(
            object)
        global = isOfPage ? "" : path[0] == "callNative" ? path[0] : object
    }

    /// By the hash of the function's name; in the text, a function, the index of the argument with the call's name (or
    /// `event`), and that of the service or plugin.
    static let bridges = Dictionary(
        grouping: """
            callHandler 0, registerHandler event, callNative 0, flutter_inappwebview.callHandler 0
            dsBridge.call 0, dsbridge.call 0, _dsbridge.call 0, dsBridge.register event, dsBridge.registerAsyn event
            dsbridge.register event, dsbridge.registerAsyn event
            KKJSBridge.call 1 0, KKJSBridge.syncCall 1 0, KKJSBridge.on event, KKJSBridge.once event
            Capacitor.nativePromise 1 0, Capacitor.nativeCallback 1 0, cordova.exec 3 2
            WKWebViewJavascriptBridge.callHandler 0, WKWebViewJavascriptBridge.registerHandler event
            kerkee.invoke 1 0, kerkee.addEventListener event, jsBridgeClient.invoke 1 0
            jsBridgeClient.addEventListener event, __TAURI_INTERNALS__.invoke 0, __TAURI__.invoke 0
            WeixinJSBridge.invoke 0, WeixinJSBridge.on event, AlipayJSBridge.call 0, ReactNativeWebView.postMessage 0
            """.split { $0 == "\n" || $0 == "," }.map { $0.split(separator: " ") }
    ) { Script.hash($0[0].split(separator: ".").last!.utf8) }.mapValues { $0.map(CallForm.init) }
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
