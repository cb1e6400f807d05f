import Drawbridge

/// A pattern of a few tokens by which calls are found, and how the name in it is read.
struct Rule: Hashable {
    /// The tokens of each pattern: `_` is any argument, `$name` an expression and `#name` an identifier.
    private static let patterns = [
        "callHandler ( $name", "registerHandler ( $event", "funcName : $name", "callNative ( $name",
        "messageHandlers . cordova . postMessage ( [ _ , $owner , $name",
        "messageHandlers . KKJSBridgeMessage",
        "messageHandlers . JSBridge . postMessage ( $name", "messageHandlers . JSBridge",
        "messageHandlers . #name . postMessage (", "messageHandlers [ $name ] . postMessage (",
        "messageHandlers . #name", "messageHandlers [ $name ]", "flutter_inappwebview . callHandler ( $name",
        "dsBridge . call ( $name", "dsbridge . call ( $name", "_dsbridge . call ( $name",
        "dsBridge . register ( $event",
        "dsBridge . registerAsyn ( $event", "KKJSBridge . call ( $owner , $name",
        "KKJSBridge . syncCall ( $owner , $name",
        "KKJSBridge . on ( $event", "KKJSBridge . once ( $event",
        "Capacitor . nativePromise ( $owner , $name",
        "Capacitor . nativeCallback ( $owner , $name", "Capacitor . Plugins . #owner . #name (",
        "cordova . exec ( _ , _ , $owner , $name", "Android . #name (", "Android [ $name ] (",
        "WeixinJSBridge . invoke ( $name", "WeixinJSBridge . on ( $event", "AlipayJSBridge . call ( $name",
        "ReactNativeWebView . postMessage ( $name",
    ]

    /// The patterns by their first words.
    static let all = Dictionary(grouping: patterns) { String($0.prefix { $0 != " " }) }.mapValues {
        $0.map(Rule.init)
    }

    /// The words behind the first one.
    var rest: [Substring] = []
    var bridge: NativeBridge
    /// Where an object is passed: its members that may have the name, in their order.
    var keys: [String] = []
    /// The service, plugin or object that is put before the name: `Camera/getPhoto`.
    var owner = Scripts.Value.text("")
    var isGuess = false
    /// Whether a dot parts a namespace from it, as DSBridge has it: `ns.method`.
    var isDotted = false
    /// Whether code that matches is of a bridge's JavaScript half, which the page has itself.
    var isHalf = false

    init(_ bridge: NativeBridge, keys: [String] = [], owner: Scripts.Value = .text(""), isGuess: Bool = false)
    {
        (self.bridge, self.keys, self.owner, self.isGuess) = (bridge, keys, owner, isGuess)
    }

    private init(_ pattern: String) {
        let words = pattern.split(separator: " ")
        let first = String(words[0])
        switch first {
        case "callHandler", "registerHandler": bridge = .webViewJavascriptBridge
        case "funcName": bridge = .queue
        case "callNative": bridge = .function(first)
        case "messageHandlers":
            let half = ["cordova": "cordova", "KKJSBridgeMessage": "KKJSBridge"][words[2]]
            isHalf = half != nil
            bridge = half.map(NativeBridge.outside) ?? .message(words[2] == "JSBridge" ? "JSBridge" : "")
            if words[2] == "JSBridge" { keys = ["action"] }
            isGuess = words.last == "#name"
        default:
            bridge = .outside(first)
            isDotted = words[2] == "call" && first.lowercased().hasSuffix("dsbridge")
            if first == "Android" { owner = .text(first) }
            if first == "ReactNativeWebView" {
                keys = ["type", "action", "method", "event", "name", "command"]
            }
        }
        rest = Array(words.dropFirst())
    }
}

extension Scripts {
    enum Match {
        case whole(name: Value?, owner: Value?, event: Value?, end: Int)
        /// The pattern matches up to its arguments: the function at this place is not called, but may get an alias.
        case function(Int, rest: ArraySlice<Substring>)
    }

    /// Compares the tokens from a place on with a pattern.
    func match(_ rest: [Substring], _ start: Int) -> Match? {
        var (place, values) = (start, [Substring: Value]())
        for (index, part) in rest.enumerated() {
            switch part.first {
            case "$", "_":
                let end = end(place)
                if part != "_" { values[part.dropFirst()] = value(place..<end) }
                place = end
            case "#":
                guard let word = word(place) else { return nil }
                values[part.dropFirst()] = .text(word)
                place += 1
            default:
                // (webkit.messageHandlers as any).pay
                if part == ".", word(place) == "as", isMark(")", place + 2) { place += 3 }
                if part == "(", !isMark("(", place) {
                    return rest[index...].contains("$name") ? .function(place - 1, rest: rest[index...]) : nil
                }
                guard tokens.indices.contains(place), tokens[place].kind != .text,
                    tokens[place].string == part,
                    part != "(" || isCall(place - 1)
                else { return nil }
                place += 1
            }
        }
        return .whole(name: values["name"], owner: values["owner"], event: values["event"], end: place)
    }
}
