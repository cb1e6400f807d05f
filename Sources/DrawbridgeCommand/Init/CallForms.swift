extension PageCalls {
    /// A function that is called with the name of a native call: a bridge's, or one of the page's own that passes its argument on.
    struct Form: Hashable {
        var name = ""
        /// The object of the bridge; empty if any object may have the function.
        var object = ""
        /// How the file says it: `by …`.
        var by: String
        var kind = Kind.call
        /// The argument that has the name, or the object with the name under one of the keys.
        var index = 0
        var keys: [String] = []
        /// The argument with the service or plugin, and what it is, which is put before the name: `Camera/getPhoto`.
        var ownerIndex: Int?
        var owner = ""
        var isGuess = false
        /// The file that declares the page's own function; nil for a bridge's.
        var file: Int?

        init(_ by: String, keys: [String] = [], owner: String = "", isGuess: Bool = false) {
            (self.by, self.keys, self.owner, self.isGuess) = (by, keys, owner, isGuess)
        }

        private init(_ text: Substring) {
            let words = text.split(separator: " ").map(String.init)
            let path = words[0].split(separator: ".").map(String.init)
            (name, object) = (path[path.count - 1], path.count > 1 ? path[0] : "")
            kind = words[1] == "event" ? .event : .call
            (index, ownerIndex) = (Int(words[1]) ?? 0, words.count > 2 ? Int(words[2]) : nil)
            by = name == "callNative" ? "callNative()" : object.isEmpty ? "WebViewJavascriptBridge" : object
            if name == "postMessage" { keys = ["type", "action", "method", "event", "name", "command"] }
        }

        /// Each with the argument that has the name, and that of the service or plugin.
        static let bridges = """
            callHandler 0, registerHandler event, callNative 0, flutter_inappwebview.callHandler 0
            dsBridge.call 0, dsbridge.call 0, _dsbridge.call 0, dsBridge.register event, dsBridge.registerAsyn event
            dsbridge.register event, dsbridge.registerAsyn event
            KKJSBridge.call 1 0, KKJSBridge.syncCall 1 0, KKJSBridge.on event, KKJSBridge.once event
            Capacitor.nativePromise 1 0, Capacitor.nativeCallback 1 0, cordova.exec 3 2
            WKWebViewJavascriptBridge.callHandler 0, WKWebViewJavascriptBridge.registerHandler event
            WeixinJSBridge.invoke 0, WeixinJSBridge.on event, AlipayJSBridge.call 0, ReactNativeWebView.postMessage 0
            """.split { $0 == "\n" || $0 == "," }.map(Form.init)
    }
}

/// The lists of `names.txt`.
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
