import Drawbridge

/// What the pages of a folder ask of native, all scripts taken together.
struct PageCalls {
    /// Where a name stands.
    struct Place: Comparable, Hashable {
        let file: String
        let line: Int

        static func < (a: Self, b: Self) -> Bool { (a.file, a.line) < (b.file, b.line) }
    }

    /// A call of native that was found.
    struct Call: Hashable {
        let place: Place
        let bridge: NativeBridge
        let isGuess: Bool
    }

    /// Something that cannot be read, and what stands there.
    struct Unread: Hashable {
        let place: Place
        let shown: String
    }

    /// The calls by the names that they have.
    private(set) var names: [String: Set<Call>] = [:]
    private(set) var unread: [Unread] = []
    /// What the page has for native to call.
    private(set) var listeners: [String: Place] = [:]
    /// The schemes, and whether each is a guess.
    private(set) var schemes: [String: Bool] = [:]
    private(set) var commandItem: String?
    /// The names below `messageHandlers`, and whether one is asked for a promise.
    private(set) var handlers: [String: Bool] = [:]
    /// Functions and objects that the app is to put into the page, all of them guesses.
    private(set) var functions: Set<String> = []
    private(set) var shortcuts: Set<String> = []
    /// Where scripts speak to native by a bridge from outside, in the order of the files.
    let spoken: [(place: Place, hint: BridgeHint)]
    /// Objects of an app for Android, besides `Android`, and channels, all of them guesses, with the first place of each.
    private(set) var objects: [String: Place] = [:]
    private(set) var channels: [String: Place] = [:]

    private let files: [(path: String, facts: ScriptFacts)]
    private let defined: Set<String>
    private var followed: Set<Step> = []
    private var waiting: [(step: Step, use: ScriptFacts.Use, isGuess: Bool)] = []
    /// How many calls of wrappers were looked at: in a script that nobody wrote by hand there may be any number.
    private var lookedAt = 0
    private static let mostLookedAt = 1_000_000
    private static let mostUnread = 10_000

    /// A wrapper that was followed for a bridge.
    private struct Step: Hashable {
        let file: Int
        let wrapper: ScriptFacts.Wrapper
        let index: Int
        let bridge: NativeBridge
        let form: ScriptFacts.Form
    }

    init(_ files: [(path: String, facts: ScriptFacts)]) {
        self.files = files
        defined = Self.defined(in: files)
        spoken = Self.spoken(in: files)
        let surroundings = Surroundings(files, defined, spoken)
        for (file, (path, facts)) in files.enumerated() {
            for use in facts.uses { take(use, in: file, surroundings) }
            for listener in facts.listeners where listeners[listener.name] == nil {
                listeners[listener.name] = Place(file: path, line: listener.line)
            }
            for scheme in facts.schemes {
                schemes[scheme.name] = (schemes[scheme.name] ?? true) && scheme.isGuess
            }
            commandItem = commandItem ?? facts.commandItems.first?.name
            handlers.merge(facts.handlers.filter { PageOptions.isIdentifier($0.key) }) { $0 || $1 }
        }
        while let (step, use, isGuess) = waiting.popLast() { follow(step, use, isGuess: isGuess) }
        unread = Array(Set(unread)).sorted { ($0.place, $0.shown) < ($1.place, $1.shown) }
    }

    /// What all scripts together say of an object that one of them calls.
    private struct Surroundings {
        /// The bridges from outside by which any script speaks.
        let bridges: Set<String>
        /// Capacitor's plugins, by the names that scripts have for them.
        let plugins: [String: String]
        let channels: Set<String>
        let lookedFor: Set<String>

        init(
            _ files: [(path: String, facts: ScriptFacts)], _ defined: Set<String>,
            _ spoken: [(place: Place, hint: BridgeHint)]
        ) {
            bridges = Set(spoken.map(\.hint.bridge))
            plugins = files.reduce(into: [:]) { $0.merge($1.facts.plugins) { first, _ in first } }
            channels = PageCalls.channels(in: files, defined)
            lookedFor = files.reduce(into: []) { $0.formUnion($1.facts.lookedFor) }
        }
    }

    private mutating func take(_ use: ScriptFacts.Use, in file: Int, _ surroundings: Surroundings) {
        switch use.bridge {
        case .shortcut(let object): return take(use, of: object, in: file, surroundings)
        case .outside(let object):
            // A page that brings the object itself needs nobody to answer it.
            guard let hint = BridgeHint.named(object), surroundings.bridges.contains(hint.bridge) else {
                return
            }
        case .function(let name):
            guard !defined.contains(name) else { return }
            functions.insert(name)
        default: break
        }
        add(use.name, use, in: file, isGuess: use.isGuess, at: use.line)
    }

    /// Takes a call of an object that is of no known bridge: a plugin, a channel, an object of an app for Android, or
    /// one with shortcuts.
    private mutating func take(
        _ use: ScriptFacts.Use, of object: String, in file: Int, _ surroundings: Surroundings
    ) {
        let facts = files[file].facts
        let place = Place(file: files[file].path, line: use.line)
        let isOwnPlugin = facts.plugins[object] != nil
        if let plugin = surroundings.plugins[object], isOwnPlugin || facts.imports.contains(object) {
            add(use.name, use.ofPlugin(plugin), in: file, isGuess: !isOwnPlugin, at: use.line)
        } else if surroundings.channels.contains(object) {
            channels[object] = min(channels[object] ?? place, place)
            add(.text(object), use, in: file, isGuess: true, at: use.line)
        } else if PageOptions.isIdentifier(object), !defined.contains(object) {
            if object.lowercased().contains("android") {
                objects[object] = min(objects[object] ?? place, place)
                add(use.name, use.below(object), in: file, isGuess: true, at: use.line)
            } else if surroundings.lookedFor.contains(object) || Self.isOfApp(object) {
                shortcuts.insert(object)
                add(use.name, use, in: file, isGuess: true, at: use.line)
            }
        }
    }

    /// Where scripts speak by bridges from outside, without the objects that the page brings itself.
    static func spoken(
        in files: [(path: String, facts: ScriptFacts)]
    ) -> [(place: Place, hint: BridgeHint)] {
        let defined = defined(in: files)
        return files.flatMap { path, facts in
            facts.spoken.filter { spoken in
                spoken.isByItsHalf || !defined.contains(spoken.hint.name)
            }.map { (Place(file: path, line: $0.line), $0.hint) }
        }
    }

    private static func defined(in files: [(path: String, facts: ScriptFacts)]) -> Set<String> {
        files.reduce(into: []) { $0.formUnion($1.facts.defined) }
    }

    /// The objects that nobody declares, and to which scripts only post: channels of webview_flutter.
    private static func channels(
        in files: [(path: String, facts: ScriptFacts)], _ defined: Set<String>
    ) -> Set<String> {
        var methods: [String: [ScriptFacts.Name]] = [:]
        for use in files.lazy.flatMap(\.facts.uses) {
            guard case .shortcut(let object) = use.bridge else { continue }
            methods[object, default: []].append(use.name)
        }
        let posted = methods.filter { $0.value.allSatisfy { $0 == .text("postMessage") } }.keys
        return Set(posted.filter(PageOptions.isIdentifier)).subtracting(defined)
    }

    /// Whether an object that nobody declares has the name of an app's.
    private static func isOfApp(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["app", "native", "bridge", "hybrid", "client", "ios", "device"]
            .contains(where: name.contains)
    }

    private mutating func add(
        _ name: ScriptFacts.Name, _ use: ScriptFacts.Use, in file: Int, isGuess: Bool, at line: Int
    ) {
        let place = Place(file: files[file].path, line: line)
        switch name {
        case .text(let text):
            guard !use.isOfBridge(text), let path = use.form.path(text) else { return }
            guard let name = Self.replyName(path) else {
                return unread.append(Unread(place: place, shown: "'\(text)'"))
            }
            names[name, default: []].insert(Call(place: place, bridge: use.bridge, isGuess: isGuess))
        case .constant(let word):
            if let text = files[file].facts.constants[word], !text.isEmpty {
                return add(.text(text), use, in: file, isGuess: isGuess, at: line)
            }
            let others = Set(files.compactMap { $0.facts.constants[word] })
            guard others.count == 1, let text = others.first, !text.isEmpty else {
                return leave(use, in: file)
            }
            // Another file has it, and perhaps not the one that is meant.
            add(.text(text), use, in: file, isGuess: true, at: line)
        case .parameter(let wrapper, let index):
            let step = Step(
                file: file, wrapper: wrapper, index: index, bridge: use.bridge, form: use.form)
            guard followed.count < 10_000 else { return leave(use, in: file) }
            if followed.insert(step).inserted { waiting.append((step, use, isGuess)) }
        case .unread: leave(use, in: file)
        }
    }

    private mutating func leave(_ use: ScriptFacts.Use, in file: Int) {
        guard unread.count < Self.mostUnread else { return }
        unread.append(Unread(place: Place(file: files[file].path, line: use.line), shown: use.shown))
    }

    /// Looks for the calls of a function that hands a name on.
    private mutating func follow(_ step: Step, _ use: ScriptFacts.Use, isGuess: Bool) {
        let (file, wrapper, index) = (step.file, step.wrapper, step.index)
        var isCalled = false
        for (other, (_, facts)) in files.enumerated() {
            guard
                other == file || !facts.defined.contains(wrapper.name)
                    || facts.imports.contains(wrapper.name)
            else { continue }
            for call in facts.calls[wrapper.name] ?? []
            where call.arguments.count > index && wrapper.fits(call, isSameFile: other == file) {
                isCalled = true
                lookedAt += 1
                guard lookedAt < Self.mostLookedAt else { return leave(use, in: file) }
                // What cannot be read is shown as it stands where the wrapper is called.
                let next = ScriptFacts.Use(
                    bridge: use.bridge, name: call.arguments[index], line: call.line,
                    shown: "\(wrapper.name)(…)", form: use.form)
                add(next.name, next, in: other, isGuess: isGuess || other != file, at: call.line)
            }
        }
        if !isCalled { leave(use, in: file) }
    }

    /// A name as replies have it; nil for what is none.
    static func replyName(_ text: String) -> String? {
        let parts = text.split(separator: "/")
        let name = parts.joined(separator: "/")
        guard !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix("$"), !parts.contains("."),
            !parts.contains("..")
        else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-./$".unicodeScalars.contains($0)
        }
        return isPlain ? name : nil
    }
}

extension ScriptFacts.Use {
    /// The same as a call of a plugin of Capacitor's.
    fileprivate func ofPlugin(_ plugin: String) -> Self {
        Self(bridge: .outside("Capacitor"), name: name, line: line, shown: shown, form: .below(plugin))
    }

    /// The same as a call of an object of an app for Android.
    fileprivate func below(_ object: String) -> Self {
        Self(bridge: bridge, name: name, line: line, shown: shown, form: .below(object))
    }

    /// Whether the bridge itself answers what has this name: Capacitor's plugins have listeners.
    fileprivate func isOfBridge(_ name: String) -> Bool {
        bridge == .outside("Capacitor")
            && ["addListener", "removeListener", "removeAllListeners"].contains(name)
    }
}

extension ScriptFacts.Wrapper {
    /// Whether a call means this function, as far as names can tell.
    fileprivate func fits(_ call: ScriptFacts.Call, isSameFile: Bool) -> Bool {
        let isWindow = ["window", "self", "globalThis"].contains(call.receiver ?? "window")
        guard isMember else {
            // A module's functions may be called by the module's name.
            return isWindow || !isSameFile && !Self.common.contains(name)
        }
        guard let receiver = call.receiver else { return false }
        if let owner, receiver == owner { return true }
        return isSameFile && (owner == nil || receiver == "this" || receiver == "self")
    }

    /// Names that methods of all kinds of objects have.
    private static let common: Set<String> = [
        "add", "apply", "call", "close", "emit", "exec", "get", "invoke", "load", "on", "open", "post",
        "push",
        "put", "request", "run", "send", "set", "show", "start", "then",
    ]
}
