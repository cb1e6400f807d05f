import Drawbridge

// Objects that an app gives to pages, and those of Capacitor's plugins.
extension PageCalls {
    /// Takes calls of Capacitor's plugins, by the variables that hold them.
    mutating func readPlugins(_ word: String, _ place: Int) {
        var plugins: [(variable: String, plugin: String)] = []
        let from =
            (place..<min(place + 60, scripts.tokens.count)).first { scripts.tokens[$0].kind == .text }
            ?? place
        let source = scripts.tokens[from].string
        var braces = place + 1
        if word == "registerPlugin", scripts.isCall(place),
            case .text(let plugin) = scripts.parts(place + 1).first.map({ scripts.value($0) })
        {
            let isNamed = ["Capacitor", "capacitorExports"].contains(scripts.word(place - 2))
            guard isNamed || capacitor.contains(scripts.file(place)) else { return }
            let start = scripts.isMark(".", place - 1) ? place - 2 : place
            if scripts.isMark("=", start - 1), let variable = scripts.word(start - 2) {
                plugins = [(variable, plugin)]
            }
        } else if word == "Plugins", scripts.word(place - 2) == "Capacitor", scripts.isMark("=", place - 3) {
            braces = scripts.partner(place - 4) ?? place
        } else {
            guard word == "import", source.hasPrefix("@capacitor/"), source != "@capacitor/core" else {
                return
            }
        }
        if plugins.isEmpty, scripts.isMark("{", braces) {
            plugins = scripts.parts(braces, most: 60).compactMap { part in
                scripts.word(part.upperBound - 1).map { ($0, scripts.tokens[part.lowerBound].string) }
            }
        }
        if word != "Plugins" { speak("Capacitor", place) }
        for (variable, plugin) in plugins where variable.first?.isUppercase == true {
            let alias = Scripts.Function(name: variable, owner: plugin, file: scripts.file(place))
            guard named.insert(alias).inserted else { continue }
            for other in scripts.places[variable] ?? []
            where scripts.isGlobal(other) && scripts.isMark(".", other + 1) && scripts.isCall(other + 2) {
                let isHere = scripts.file(other) == scripts.file(place)
                guard isHere || declares(variable, in: scripts.file(other)).imported else { continue }
                let rule = Rule(.outside("Capacitor"), owner: .text(plugin), isGuess: !isHere)
                take(.text(scripts.tokens[other + 2].string), rule, other)
            }
        }
    }

    mutating func listen(_ name: Value, _ place: Int) {
        guard case .text(let name) = name else { return }
        listeners[name] = min(listeners[name] ?? self.place(place), self.place(place))
    }

    /// `MyApp.pay(…)`, `MyApp[name](…)`: an object that may be the app's.
    mutating func readObject(_ object: String, _ place: Int) {
        if scripts.isMark("[", place + 1), let close = scripts.partner(place + 1) {
            if scripts.isMark("=", close + 1) { built.insert(object) }
            if scripts.isMark("(", close + 1) {
                unknown.append(
                    (
                        place, object, scripts.value(place + 2..<close),
                        "\(scripts.shown(place, to: close + 1))()"
                    ))
            }
        }
        guard scripts.isMark(".", place + 1), let method = scripts.word(place + 2), scripts.isCall(place + 2),
            !["hasOwnProperty", "toString", "call", "apply", "bind"].contains(method)
        else { return }
        // postMessage of an app's channel takes one argument, that of a window or frame several.
        if method == "postMessage", scripts.parts(place + 3).count != 1 { return }
        unknown.append((place, object, .text(method), nil))
    }

    /// Takes calls of objects that no script declares: channels, objects of an Android app, shortcuts.
    mutating func readUnknown() {
        let others = Set(unknown.lazy.filter { $0.method != .text("postMessage") }.map(\.object))
        let declared = Set(
            Set(unknown.map(\.object)).filter {
                scripts.declares($0) != (false, false) || !PageOptions.isIdentifier($0)
            })
        let lookedFor = Set(unknown.map(\.object)).filter { object in
            (scripts.places[object] ?? []).prefix(1000).contains {
                ["window", "typeof"].contains(scripts.word($0 - 1) ?? scripts.word($0 - 2))
            }
        }
        for (place, object, method, shown) in unknown
        where !declared.contains(object) && !Self.known.contains(object) {
            var rule = Rule(.shortcut(object), isGuess: true)
            if !others.contains(object) {
                channels[object] = min(channels[object] ?? self.place(place), self.place(place))
                take(.text(object), rule, place)
            } else if object.lowercased().contains("android") {
                objects[object] = min(objects[object] ?? self.place(place), self.place(place))
                rule.owner = .text(object)
                take(method, rule, place, shown)
            } else if lookedFor.contains(object) || Self.isOfApp(object) {
                shortcuts.insert(object)
                take(method, rule, place, shown)
            }
        }
    }

    /// Takes calls of an app's object to which the page itself assigns methods under computed names.
    mutating func readBuilt() {
        let own = Set(followed.map(\.function.name))
        for (place, object, method, _) in unknown where built.contains(object) && Self.isOfApp(object) {
            guard case .text(let name) = method, !own.contains(name) else { continue }
            take(method, Rule(.shortcut(object), isGuess: true), place)
        }
    }

    /// Whether an undeclared object has a name as apps give to theirs.
    static func isOfApp(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["app", "native", "bridge", "hybrid", "client", "ios", "device", "android"].contains(
            where: name.contains)
    }

    /// Capitalised names of browsers and of well-known libraries.
    private static let known: Set<String> = [
        "AMap", "AppModule", "AppRegistry", "AppState", "Array", "ArrayBuffer", "Axios", "BMap", "Backbone",
        "CSS", "Chart",
        "Cookies", "Date", "Error", "FastClick", "Handlebars", "Hls", "Intl", "JSON", "Map", "Math",
        "Notification", "Number",
        "Object", "Promise", "Proxy", "QRCode", "React", "ReactDOM", "Reflect", "Sentry", "Set", "Stripe",
        "String", "Swiper",
        "Symbol", "THREE", "URL", "Vant", "Vue", "VueRouter", "Vuex", "WVJBCallbacks", "WebAssembly",
        "WebViewJavascriptBridge", "WebSocket",
        "WebViewBridge", "Worker", "Zepto",
    ]
}
