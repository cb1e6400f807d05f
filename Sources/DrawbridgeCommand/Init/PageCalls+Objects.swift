import Drawbridge

// Objects that an app gives to pages, and plugins of Capacitor's.
extension PageCalls {
    /// Remembers a call of an object that may be the app's: `MyApp.pay(…)`, `MyApp[name](…)`.
    mutating func readObject(_ object: String, _ place: Int) {
        if object == "registerPlugin", let open = scripts.arguments(place),
            let plugin = scripts.text(open + 1),
            capacitor.contains(scripts.file(place))
                || ["Capacitor", "capacitorExports"].contains(scripts[place - 2]),
            case let mark = scripts.start(place) - 1, scripts[mark] == "="
        {
            addPlugin(scripts[mark - 1], plugin, place)
        }
        let isOfWindow = scripts[place - 2] == "window" && Self.isOfApp(object)
        guard object.first?.isUppercase == true && scripts.receiver(place) == nil || isOfWindow,
            object == "Android" || BridgeHint.named(object) == nil, !Self.known.contains(object)
        else { return }
        let close = scripts[place + 1] == "[" ? scripts.partner(place + 1) : nil
        if let close, scripts[close + 1] == "=" { built.insert(object) }
        if let close, scripts[close + 1] == "(" {
            objectCalls[object, default: []].append((place, place + 2..<close))
        } else if scripts[place + 1] == ".", let open = scripts.arguments(place + 2),
            !["hasOwnProperty", "toString", "call", "apply", "bind"].contains(scripts[place + 2]),
            // postMessage of an app's channel takes one argument, that of a window or frame several.
            scripts[place + 2] != "postMessage" || scripts.parts(open).count == 1
        {
            objectCalls[object, default: []].append((place, nil))
        }
    }

    /// Adds the plugins of an import: `import { Camera as Photo } from '@capacitor/camera'`.
    mutating func addPlugins(_ close: Int) {
        guard scripts[close] == "}", let open = scripts.partner(close) else { return }
        for part in scripts.parts(open, most: 60) {
            addPlugin(scripts[part.upperBound - 1], scripts[part.lowerBound], open)
        }
    }

    private mutating func addPlugin(_ variable: String, _ plugin: String, _ place: Int) {
        speak("Capacitor", place)
        if variable.first?.isUppercase == true { plugins[variable] = (plugin, scripts.file(place)) }
    }

    /// Takes calls of plugins, and of objects that no script declares: channels, objects of an Android app, shortcuts.
    ///
    /// Where names are left, one to which the page itself assigns methods under computed names may be the app's too.
    mutating func readObjects() {
        let own = Set(followed.map(\.name))
        for (object, calls) in objectCalls where PageOptions.isIdentifier(object) {
            let isDeclared = scripts.owned[object] != nil || scripts.imported[object] != nil
            let isLookedFor = (scripts.places[object] ?? []).prefix(1000).contains {
                scripts[$0 - 1] == "typeof" || scripts[$0 - 1] == "." && scripts[$0 - 2] == "window"
            }
            let isChannel = calls.allSatisfy { $0.name == nil && scripts[$0.place + 2] == "postMessage" }
            let isBuilt = isDeclared && !unread.isEmpty && built.contains(object)
            let isApps = isBuilt || !isDeclared && (isChannel || isLookedFor || Self.isOfApp(object))
            for (place, range) in calls {
                var sink = Sink(.shortcut(object), isGuess: true)
                let (name, here) = (isChannel ? object : scripts[place + 2], self.place(place))
                if object == "Android" {
                    guard isBridge(object, place) else { continue }
                    speak(object, place)
                    sink = Sink(.outside(object), owner: object)
                } else if let (plugin, file) = plugins[object] {
                    sink = Sink(.outside("Capacitor"), owner: plugin, isGuess: scripts.file(place) != file)
                } else if !isApps || isBuilt && (range != nil || own.contains(name)) {
                    continue
                } else if isChannel {
                    channels[object] = min(channels[object] ?? here, here)
                } else if object.lowercased().contains("android") {
                    objects[object] = min(objects[object] ?? here, here)
                    sink.owner = object
                } else if !isBuilt {
                    shortcuts.insert(object)
                }
                if let range { take(range, sink, place) } else { found(name, sink, place) }
            }
        }
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
        "WVJBCallbacks", "WebAssembly", "WebViewBridge", "WebViewJavascriptBridge", "Worker",
    ]
}
