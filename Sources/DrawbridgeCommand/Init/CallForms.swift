extension PageCalls {
    /// One form of native calls in scripts: a bridge's function, or a page's function that passes a parameter to one.
    struct Form: Hashable {
        var name = ""
        /// The object whose method the function is, such as `dsBridge`; empty if any object may have it.
        var object = ""
        /// How the page calls, for the comment in drawbridge.json: `by WebViewJavascriptBridge`.
        var by: String
        var kind = Kind.call
        /// The argument with the call's name: a string, or an object with the name as its member in `keys`.
        var index = 0
        var keys: [String] = []
        /// The argument with the service or plugin, and its value, which precedes the call's name: `Camera/getPhoto`.
        var ownerIndex: Int?
        var owner = ""
        var isGuess = false
        /// The index of the file that declares the page's function; nil if the function belongs to a bridge.
        var file: Int?

        init(_ by: String, keys: [String] = [], owner: String = "", isGuess: Bool = false) {
            (self.by, self.keys, self.owner, self.isGuess) = (by, keys, owner, isGuess)
        }

        init(_ text: Substring) {
            let words = text.split(separator: " ").map(String.init)
            let path = words[0].split(separator: ".").map(String.init)
            (name, object) = (path[path.count - 1], path.count > 1 ? path[0] : "")
            kind = words[1] == "event" ? .event : .call
            (index, ownerIndex) = (Int(words[1]) ?? 0, words.count > 2 ? Int(words[2]) : nil)
            by = name == "callNative" ? "callNative()" : object.isEmpty ? "WebViewJavascriptBridge" : object
            if name == "postMessage" { keys = ["type", "action", "method", "event", "name", "command"] }
        }

        /// A function, the index of the argument with the call's name (or `event`), and of the service or plugin.
        static let bridges = """
            callHandler 0, registerHandler event, callNative 0, flutter_inappwebview.callHandler 0
            dsBridge.call 0, dsbridge.call 0, _dsbridge.call 0, dsBridge.register event, dsBridge.registerAsyn event
            dsbridge.register event, dsbridge.registerAsyn event
            KKJSBridge.call 1 0, KKJSBridge.syncCall 1 0, KKJSBridge.on event, KKJSBridge.once event
            Capacitor.nativePromise 1 0, Capacitor.nativeCallback 1 0, cordova.exec 3 2
            WKWebViewJavascriptBridge.callHandler 0, WKWebViewJavascriptBridge.registerHandler event
            kerkee.invoke 1 0, kerkee.addEventListener event, jsBridgeClient.invoke 1 0
            jsBridgeClient.addEventListener event, __TAURI_INTERNALS__.invoke 0, __TAURI__.invoke 0
            WeixinJSBridge.invoke 0, WeixinJSBridge.on event, AlipayJSBridge.call 0, ReactNativeWebView.postMessage 0
            """.split { $0 == "\n" || $0 == "," }.map(Form.init)
    }
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
