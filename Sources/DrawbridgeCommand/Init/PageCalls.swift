import Drawbridge

/// What the pages of a folder ask of native, by a table of the forms of calls.
///
/// It guesses: a wrong name costs one line in the file, and a missed one appears in the log when the page runs.
struct PageCalls {
    enum Kind {
        /// Calls, by their names, and those whose names are computed, as they are written.
        case call, computed
        /// What the page listens for, so that native may call it.
        case event
        /// Names below `messageHandlers`, and those of whose `postMessage` the page waits for the promise.
        case handler, awaited
        /// URL schemes, and the query item in such a URL that has the call's name.
        case scheme, item
        /// What the app puts into the page: functions, objects, those of an app for Android, and its channels.
        case function, shortcut, object, channel
        /// The objects of bridges that are injected by `--bridge`.
        case bridge
    }

    private(set) var scripts: Scripts
    /// What was found, by its name; each place is there once.
    private(set) var found: [Kind: [String: [Place: Form]]] = [:]
    /// The files that ask `http://__jsbridge__` with the name in the body.
    var asking: Set<Int> = []
    /// Plugins of Capacitor's, by the names that scripts have for them.
    private var plugins: [String: String] = [:]
    /// The functions in the order in which they are followed, each with the place of the call in it.
    private var waiting: [(form: Form, from: Int?)] = Form.bridges.map { ($0, nil) }
    private var followed: Set<Form> = []
    /// How much was looked at; it is limited, since a generated script may have any number of names.
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
        // One form may have the name of a call that another has not.
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
        /// In their order, of which certain ones go first.
        let places: [Place]
        /// Where, and by what.
        let text: String
        let isGuess: Bool
    }

    /// What was found of a kind, in the order of its places.
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

    /// Notes a call whose name only a run tells.
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

    /// `messageHandlers.pay.postMessage(…)`, `messageHandlers[name].postMessage(…)`.
    private mutating func readMessage(_ place: Int) {
        // `(messageHandlers as any).pay`
        let place =
            scripts[place + 1] == "as" ? (place..<place + 5).first { scripts[$0] == ")" } ?? place : place
        let isNamed = scripts[place + 1] == "."
        guard let close = isNamed ? place + 2 : scripts.partner(place + 1), scripts[close + 1] == ".",
            scripts[close + 2] == "postMessage", let open = scripts.arguments(close + 2)
        else { return }
        let name = isNamed ? scripts[close] : scripts.text(place + 2) ?? ""
        if name == "iOS_Native_InjectJavascript" { add("WKWebViewJavascriptBridge", place, as: .bridge) }
        // The page's half of these bridges is in the page.
        guard BridgeHint.ofMessageHandler(name) == nil else { return }
        if PageOptions.isIdentifier(name) {
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

    /// Whether an app may put an object of this name into pages.
    private func mayBeObject(_ name: String) -> Bool {
        (name.first?.isUppercase == true || scripts.lookedFor.contains(name) || Self.isOfApp(name))
            && BridgeHint.named(name)?.bridge ?? "android" == "android" && PageOptions.isIdentifier(name)
            && !Names["window"].contains(name) && !Names["libraries"].contains(name)
    }

    /// Takes a call of an object that no script declares, or of a plugin: `MyApp.pay(…)`, `MyApp[name](…)`.
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
            // postMessage of an app's channel takes one argument, that of a window or frame several.
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
        // `const App = registerPlugin('ShopApp')`
        let argument =
            scripts[place + 1] == "=" ? scripts.arguments(place + 2).flatMap { scripts.text($0 + 1) } : nil
        plugins[scripts[place]] = argument ?? scripts[place]
    }

    /// Notes the plugins of an import: `import { Camera } from '@capacitor/camera'`.
    mutating func addPlugins(before place: Int) {
        guard scripts[place - 2] == "}", let open = scripts.partner(place - 2) else { return }
        for word in open..<place where scripts[word].first?.isUppercase == true { addPlugin(word) }
    }

    /// Whether an object has a name as apps give to theirs.
    private static func isOfApp(_ name: String) -> Bool {
        let letters = name.utf8.map { $0 | 0x20 }
        return letters.indices.contains { start in
            appWords.contains { letters[start...].starts(with: $0.utf8) }
        }
    }

    private static let appWords = ["app", "native", "bridge", "hybrid", "client", "ios", "device", "android"]

    // MARK: Functions

    /// Whether the word at a place probably means this function.
    private func fits(_ form: Form, _ place: Int) -> Bool {
        let (file, receiver) = (scripts.file(place), scripts.receiver(place))
        let isOwn = scripts.declared[form.name]?.contains(file) ?? false
        guard let home = form.file else {
            // Libraries for pages declare these objects themselves, and need the app's half.
            let isOfPage = ["cordova", "dsBridge", "dsbridge", "KKJSBridge"].contains(form.object)
            if !form.object.isEmpty {
                return scripts[place - 1] == "." && scripts[place - 2] == form.object
                    && scripts.receiver(place - 2) == nil
                    && (isOfPage || !scripts.isDeclared(form.object))
            }
            if form.name == "callNative" { return receiver == nil && !scripts.isDeclared(form.name) }
            return receiver.map { BridgeHint.named($0) == nil } ?? !isOwn
        }
        if file == home { return true }
        // A function of another file counts only if its name is a bridge's, such as callHandler: a name of one letter, or one
        // that many objects have, may be anybody's.
        let isBridge = ["callHandler", "registerHandler"].contains(form.name)
        guard !isBridge, form.name.count > 2 else { return false }
        let isCommon = Names["methods"].contains(form.name)
        guard let receiver else { return !isOwn && (!isCommon || scripts.imported.contains(form.name)) }
        return !isCommon || receiver.first?.isUppercase == true || Self.isOfApp(receiver)
    }

    /// Takes the name of a call, or another name of the function; says whether there is one.
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
        // `bridge.callHandler.call(bridge, 'pay')`
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

    /// Follows a function of the page's, of which one of each file is enough.
    mutating func wait(_ form: Form, _ function: Int, from place: Int? = nil) {
        var form = form
        form.file = scripts.file(function)
        if followed.insert(form).inserted { waiting.append((form, place)) }
    }
}
