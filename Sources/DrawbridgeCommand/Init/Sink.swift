/// A function that gets the names of calls: a bridge's, or one of the page's own that passes its argument on.
struct Sink: Hashable {
    /// Each with the index of the argument that has the name, and that of the service or module.
    static let bridges = [
        "callHandler 0", "registerHandler event", "callNative 0", "flutter_inappwebview.callHandler 0",
        "dsBridge.call 0", "dsbridge.call 0", "_dsbridge.call 0", "dsBridge.register event",
        "dsBridge.registerAsyn event", "KKJSBridge.call 1 0", "KKJSBridge.syncCall 1 0",
        "KKJSBridge.on event", "KKJSBridge.once event", "Capacitor.nativePromise 1 0",
        "Capacitor.nativeCallback 1 0", "cordova.exec 3 2", "WeixinJSBridge.invoke 0",
        "WKWebViewJavascriptBridge.callHandler 0", "WKWebViewJavascriptBridge.registerHandler event",
        "WeixinJSBridge.on event", "AlipayJSBridge.call 0", "ReactNativeWebView.postMessage 0",
    ].map(Sink.init)

    var name = ""
    /// The object of the bridge; empty if any object may have the function.
    var object = ""
    /// The bridge, as the file says it: `by …`.
    var bridge: String
    /// The argument that has the name, or the object with the name under one of the keys; nil if it names an event.
    var index: Int? = 0
    var ownerIndex: Int?
    var keys: [String] = []
    /// The service, plugin or object that is put before the name: `Camera/getPhoto`.
    var owner = ""
    var isGuess = false
    /// Where the page's own function is declared; nil for a bridge's.
    var place: Int?

    init(_ bridge: String, keys: [String] = [], owner: String = "", isGuess: Bool = false) {
        (self.bridge, self.keys, self.owner, self.isGuess) = (bridge, keys, owner, isGuess)
    }

    private init(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let path = words[0].split(separator: ".").map(String.init)
        name = path[path.count - 1]
        object = path.count > 1 ? path[0] : ""
        (index, ownerIndex) = (Int(words[1]), words.count > 2 ? Int(words[2]) : nil)
        bridge = name == "callNative" ? "callNative()" : object.isEmpty ? "WebViewJavascriptBridge" : object
        if name == "postMessage" { keys = ["type", "action", "method", "event", "name", "command"] }
    }
}
