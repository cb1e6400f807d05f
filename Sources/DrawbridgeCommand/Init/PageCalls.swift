import Drawbridge

/// The native calls in the pages and scripts of a folder, found by the known forms of such calls.
///
/// It may be wrong: a wrong name costs one line in drawbridge.json, and a missed call is logged when the page makes it.
struct PageCalls {
    enum Kind {
        /// Calls by their names, and calls whose names are computed at run time, by their code.
        case call, computed
        /// Events that the page listens for, so that native can send them.
        case event
        /// Names in `webkit.messageHandlers`, and those whose `postMessage` has to return a promise: it is awaited.
        case handler, awaited
        /// URL schemes of apps, and the query parameter that has the call's name in URLs with such a scheme.
        case scheme, item
        /// Globals that the app defines: functions, objects, Android's objects, channels with a `postMessage`.
        case function, shortcut, object, channel
        /// The global objects of the bridges that `--bridge` can inject, such as `dsBridge`.
        case bridge
    }

    private(set) var scripts: Scripts
    /// The names found of each kind, each with its lines in the files and the form of the call on each line.
    private(set) var found: [Kind: [String: [Place: Form]]] = [:]
    /// Files with a native request whose URL has no call's name: the name is in the JSON of the request's body.
    var asking: Set<Int> = []
    /// Names of Capacitor plugins, by the variables that hold them.
    private var plugins: [String: String] = [:]
    /// The queue of functions whose calls are to be found; `from` is the native call inside of a function of the page.
    private var waiting: [(form: Form, from: Int?)] = Form.bridges.map { ($0, nil) }
    private var followed: Set<Form> = []
    /// The work done so far; `mostSteps` limits it, since a generated script may have any number of names.
    var steps = 0
    static let mostSteps = 500_000

    init(_ scripts: Scripts) {
        self.scripts = scripts
        self.scripts.rename {
            BridgeHint.named($0) != nil || scripts.lookedFor.contains($0) || Self.isOfApp($0)
        }
        let scripts = self.scripts
        for place in scripts.tokens.indices {
            if let text = scripts.text(place) { readURL(text, place) }
        }
        for place in scripts.places(where: Self.words.contains) { readWord(scripts[place], place) }
        for place in scripts.places(where: mayBeObject) { readObject(scripts[place], place) }
        var next = 0
        while next < waiting.count {
            let (form, from) = waiting[next]
            next += 1
            var isCalled = false
            for place in scripts.places(of: form.name) where place != from && steps < Self.mostSteps {
                steps += 1
                if fits(form, place) { isCalled = follow(form, place) || isCalled }
            }
            if let from, !isCalled { leave(from) }
        }
        // A line where one form found a call's name is not listed as computed, even if another form found no name.
        let named = Set(found[.call, default: [:]].values.flatMap(\.keys))
        found[.computed] = found[.computed]?.mapValues { $0.filter { !named.contains($0.key) } }.filter {
            !$0.value.isEmpty
        }
    }

    // MARK: What was found

    struct Place: Comparable, Hashable, CustomStringConvertible {
        let file: Int
        let line: Int
        let description: String

        static func < (a: Self, b: Self) -> Bool { (a.file, a.line) < (b.file, b.line) }
    }

    struct Entry {
        let name: String
        /// The lines of the calls, by file and line number; guesses come last.
        let places: [Place]
        /// The comment on the call in drawbridge.json: `app.js:3, cart.js:8 and 2 more, by dsBridge`.
        let text: String
        let isGuess: Bool
    }

    /// The finds of one kind, in the order of the lines where each was found first.
    func all(_ kind: Kind) -> [Entry] {
        found[kind, default: [:]].map { name, forms in
            let all = forms.sorted { ($0.value.isGuess ? 1 : 0, $0.key) < ($1.value.isGuess ? 1 : 0, $1.key) }
            let shown = all.prefix(2).map(\.key.description).joined(separator: ", ")
            let (more, by) = (all.count > 2 ? " and \(all.count - 2) more" : "", all[0].value.by)
            return Entry(
                name: name, places: all.map(\.key), text: shown + more + (by.isEmpty ? "" : ", by \(by)"),
                isGuess: all[0].value.isGuess)
        }.sorted { ($0.places[0], $0.name) < ($1.places[0], $1.name) }
    }

    mutating func add(_ name: String, _ place: Int, _ form: Form = Form(""), as kind: Kind) {
        let (file, line) = (scripts.file(place), Int(scripts.tokens[place].line))
        let here = Place(file: file, line: line, description: "\(scripts.paths[file]):\(line)")
        if found[kind]?[name]?[here]?.isGuess != false {
            found[kind, default: [:]][name, default: [:]][here] = form
        }
    }

    /// Notes a call whose name is computed at run time.
    mutating func leave(_ place: Int) {
        let isOfBridge = BridgeHint.named(scripts[place - 2]) != nil
        add(scripts.shown(isOfBridge ? place - 2 : place), place, as: .computed)
    }

    // MARK: Forms that are not functions

    private static let words: Set = [
        "messageHandlers", "funcName", "fetchMessages", "_mobile_bridge", "stringify", "registerPlugin",
    ]

    private mutating func readWord(_ word: String, _ place: Int) {
        switch word {
        case "messageHandlers": readMessage(place)
        case "funcName" where scripts[place + 1] == ":" && !["string", "any"].contains(scripts[place + 2]):
            take(scripts.expression(place + 2), Form("the pull queue"), place)
        case "fetchMessages" where scripts.receiver(place) == nil && !scripts.isDeclared(word):
            guard scripts.arguments(place) != nil else { return }
            add(word, place, as: .function)
            take(word, Form("\(word)()", isGuess: true), place)
        case "_mobile_bridge" where scripts[place + 1] == ":": leave(place)
        case "stringify" where asking.contains(scripts.file(place)):
            guard let message = scripts.parts(place + 1).first else { return }
            _ = takes(message, Form("http://__jsbridge__", keys: ["action"]), place)
        case "registerPlugin" where scripts[scripts.head(place) - 1] == "=":
            addPlugin(scripts.head(place) - 2)
        default: break
        }
    }

    /// Adds the calls `messageHandlers.pay.postMessage(…)` and `messageHandlers[name].postMessage(…)`.
    private mutating func readMessage(_ place: Int) {
        // Skips a TypeScript assertion: `(messageHandlers as any).pay`
        let place =
            scripts[place + 1] == "as" ? (place..<place + 5).first { scripts[$0] == ")" } ?? place : place
        let isNamed = scripts[place + 1] == "."
        guard let close = isNamed ? place + 2 : scripts.partner(place + 1), scripts[close + 1] == ".",
            scripts[close + 2] == "postMessage", let open = scripts.arguments(close + 2)
        else { return }
        let name = isNamed ? scripts[close] : scripts.text(place + 2) ?? ""
        if name == "iOS_Native_InjectJavascript" { add("WKWebViewJavascriptBridge", place, as: .bridge) }
        // Posted to by a bridge's library in the page, such as Cordova's: the handler's name is not that of a call.
        guard BridgeHint.ofMessageHandler(name) == nil else { return }
        if Lack.isIdentifier(name) {
            let end = (scripts.partner(open) ?? open) + 1
            let isAwaited = scripts[scripts.head(close) - 1] == "await" || scripts[end] == "."
            add(name, place, as: isAwaited ? .awaited : .handler)
        }
        if name == "JSBridge", let message = scripts.parts(open).first {
            take(message, Form("messageHandlers.\(name)", keys: ["action"]), place)
        } else if isNamed {
            take(name, Form("messageHandlers.\(name)"), place)
        } else {
            take(place + 2..<close, Form("messageHandlers."), place)
        }
    }

    // MARK: Objects

    private func mayBeObject(_ name: String) -> Bool {
        (name.first?.isUppercase == true || scripts.lookedFor.contains(name) || Self.isOfApp(name))
            && BridgeHint.named(name)?.bridge ?? "android" == "android" && Lack.isIdentifier(name)
            && !Names["window"].contains(name) && !Names["libraries"].contains(name)
    }

    /// Adds a method call on a plugin, or on an object that no script declares: `MyApp.pay(…)`, `MyApp[name](…)`.
    private mutating func readObject(_ object: String, _ place: Int) {
        let isComputed = scripts[place + 1] == "["
        guard isComputed || scripts[place + 1] == ".", scripts.receiver(place) == nil,
            object.first?.isUppercase == true || scripts[place - 1] == "."
                || scripts.lookedFor.contains(object),
            scripts.parameter(place) == nil
        else { return }
        let close = isComputed ? scripts.partner(place + 1) ?? place : place + 2
        guard isComputed ? scripts[close + 1] == "(" : scripts.arguments(close) != nil else { return }
        var form = Form(object, isGuess: object != "Android")
        if let plugin = plugins[object] {
            form = Form("Capacitor", owner: plugin)
        } else if scripts.isDeclared(object) {
            return
        } else if scripts[place + 2] == "postMessage" {
            // A channel's `postMessage` has one argument; with more, it is a window's or frame's, which is not native.
            guard scripts.parts(close + 1).count == 1 else { return }
            add(object, place, as: .channel)
            return take(object, form, place)
        } else if object.lowercased().contains("android") {
            form.owner = object
            add(object, place, as: object == "Android" ? .bridge : .object)
        } else if scripts.lookedFor.contains(object) || Self.isOfApp(object) {
            add(object, place, as: .shortcut)
        } else {
            return
        }
        if isComputed { take(place + 2..<close, form, place) } else { take(scripts[close], form, place) }
    }

    private mutating func addPlugin(_ place: Int) {
        guard !["Capacitor", "CapacitorHttp"].contains(scripts[place]) else { return }
        add("Capacitor", place, as: .bridge)
        // The argument names the plugin, else the variable does: `const App = registerPlugin('ShopApp')`
        let argument =
            scripts[place + 1] == "=" ? scripts.arguments(place + 2).flatMap { scripts.text($0 + 1) } : nil
        plugins[scripts[place]] = argument ?? scripts[place]
    }

    /// Adds the Capacitor plugins of an import: `import { Camera } from '@capacitor/camera'`.
    mutating func addPlugins(before place: Int) {
        guard scripts[place - 2] == "}", let open = scripts.partner(place - 2) else { return }
        for word in open..<place where scripts[word].first?.isUppercase == true { addPlugin(word) }
    }

    /// Whether a name contains a word that is typical of apps' objects, as `ShopNative` does.
    private static func isOfApp(_ name: String) -> Bool {
        let letters = name.utf8.map { $0 | 0x20 }
        return letters.indices.contains { start in
            appWords.contains { letters[start...].starts(with: $0.utf8) }
        }
    }

    private static let appWords = ["app", "native", "bridge", "hybrid", "client", "ios", "device", "android"]

    // MARK: Functions

    /// Whether the word at a place probably means the function of this form.
    private func fits(_ form: Form, _ place: Int) -> Bool {
        let (file, receiver) = (scripts.file(place), scripts.receiver(place))
        let isOwn = scripts.declared[form.name]?.contains(file) ?? false
        guard let home = form.file else {
            // A library in the page declares these objects, and still needs the app to provide the native side.
            let isOfPage = [
                "cordova", "dsBridge", "dsbridge", "KKJSBridge", "kerkee", "jsBridgeClient",
            ].contains(form.object)
            if !form.object.isEmpty {
                // Of Tauri 2 it is `__TAURI__.core.invoke`.
                let object = scripts[place - 2] == "core" ? place - 4 : place - 2
                return scripts[place - 1] == "." && scripts[object] == form.object
                    && scripts.receiver(object) == nil
                    && (isOfPage || !scripts.isDeclared(form.object))
            }
            if form.name == "callNative" { return receiver == nil && !scripts.isDeclared(form.name) }
            return receiver.map { BridgeHint.named($0) == nil } ?? !isOwn
        }
        if file == home { return true }
        // In files that do not declare the function, a name of one or two letters often means another function, and
        // `callHandler` and `registerHandler` are searched for as a bridge's functions, so these never match.
        let isBridge = ["callHandler", "registerHandler"].contains(form.name)
        guard !isBridge, form.name.count > 2 else { return false }
        let isCommon = Names["methods"].contains(form.name)
        guard let receiver else { return !isOwn && (!isCommon || scripts.imported.contains(form.name)) }
        return !isCommon || receiver.first?.isUppercase == true || Self.isOfApp(receiver)
    }

    /// Adds the name in a call of the function, or queues an alias of the function; returns whether there was either.
    private mutating func follow(_ form: Form, _ place: Int) -> Bool {
        var form = form
        if !form.object.isEmpty { add(form.object, place, as: .bridge) }
        form.isGuess = form.isGuess || form.file.map { scripts.file(place) != $0 } ?? false
        guard let open = scripts.arguments(place) else {
            guard let alias = scripts.alias(place) else { return false }
            (form.name, form.object) = (scripts[alias], "")
            wait(form, alias)
            return true
        }
        // The first argument of `call` and `apply` is `this`: `bridge.callHandler.call(bridge, 'pay')`
        let isOfFunction = open == place + 3 && ["call", "apply"].contains(scripts[open - 1])
        let parts = scripts.parts(open).dropFirst(isOfFunction ? 1 : 0)
        let (index, owner) = (parts.startIndex + form.index, form.ownerIndex.map { parts.startIndex + $0 })
        guard index < parts.endIndex else { return false }
        if let owner {
            let start = parts[owner].lowerBound
            guard let text = scripts[start] == "null" ? "" : scripts.text(start) else {
                leave(place); return true
            }
            (form.owner, form.ownerIndex) = (text, nil)
        }
        if form.by == "callNative()" { add("callNative", place, as: .function) }
        take(parts[index], form, place)
        return true
    }

    /// Queues a function of the page, so that its calls are searched too; the same function of a file is queued once.
    mutating func wait(_ form: Form, _ function: Int, from place: Int? = nil) {
        var form = form
        form.file = scripts.file(function)
        if followed.insert(form).inserted { waiting.append((form, place)) }
    }
}
