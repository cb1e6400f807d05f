import Drawbridge

// Objects that an app gives to pages, and plugins of Capacitor's.
extension PageCalls {
    /// Takes a call of an object that no script declares, or of a plugin: `MyApp.pay(…)`, `MyApp[name](…)`.
    mutating func readObject(_ object: String, _ place: Int) {
        let isOfWindow = scripts[place - 2] == "window" && Self.isOfApp(object)
        guard object.first?.isUppercase == true && scripts.receiver(place) == nil || isOfWindow,
            object == "Android" || BridgeHint.named(object) == nil, !Self.known.contains(object),
            PageOptions.isIdentifier(object)
        else { return }
        let close = scripts[place + 1] == "[" ? scripts.partner(place + 1) : nil
        let isComputed = close.map { scripts[$0 + 1] == "(" } ?? false
        let open = scripts[place + 1] == "." ? scripts.arguments(place + 2) : nil
        guard open != nil || isComputed else { return }
        let (name, here) = (scripts[place + 2], self.place(place))
        var sink = Sink(object, isGuess: true)
        if object == "Android" {
            guard isBridge(object, place) else { return }
            speak(object, place)
            sink = Sink(object, owner: object)
        } else if plugins.contains(object) {
            sink = Sink("Capacitor", owner: object)
        } else if isDeclared(object) {
            // The page may build methods of names that native tells.
            guard built.contains(object), !isComputed, scripts.values[name] == nil else { return }
        } else if name == "postMessage", let open {
            // postMessage of an app's channel takes one argument, that of a window or frame several.
            guard scripts.parts(open).count == 1 else { return }
            channels[object] = min(channels[object] ?? here, here)
            return take(object, sink, place)
        } else if scripts.lookedFor.contains(object) || Self.isOfApp(object) {
            if object.lowercased().contains("android") {
                objects[object] = min(objects[object] ?? here, here)
                sink.owner = object
            } else {
                shortcuts.insert(object)
            }
        } else {
            return
        }
        if let close, isComputed { take(place + 2..<close, sink, place) } else { take(name, sink, place) }
    }

    /// Notes the plugins of an import: `import { Camera } from '@capacitor/camera'`.
    mutating func addPlugins(before place: Int) {
        guard scripts[place - 2] == "}", let open = scripts.partner(place - 2) else { return }
        for word in open..<place where scripts[word].first?.isUppercase == true { addPlugin(word) }
    }

    mutating func addPlugin(_ place: Int) {
        guard !["Capacitor", "CapacitorHttp"].contains(scripts[place]) else { return }
        speak("Capacitor", place)
        plugins.insert(scripts[place])
    }

    /// Whether an object has a name as apps give to theirs.
    static func isOfApp(_ name: String) -> Bool {
        ["app", "native", "bridge", "hybrid", "client", "ios", "device", "android"].contains(
            where: name.lowercased().contains)
    }

    /// Names of browsers and of well-known libraries, for which pages look as for an app's object.
    private static let known: Set = [
        "AppModule", "AppRegistry", "AppState", "Array", "CSS", "Intl", "JSON", "Map", "Notification",
        "Number", "Object", "Promise", "Proxy", "React", "Reflect", "Set", "String", "Symbol", "URL", "Vue",
        "WKWVJBCallbacks", "WVJBCallbacks", "WebAssembly", "WebViewBridge", "WebViewJavascriptBridge",
        "Worker",
    ]
}
