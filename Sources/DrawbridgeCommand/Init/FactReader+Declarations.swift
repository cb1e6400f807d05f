import Drawbridge

extension FactReader {
    /// Remembers what a script declares, and the texts that it gives a name.
    mutating func readDeclaration(_ word: String, at place: Int) {
        switch word {
        case "var", "let", "const":
            // TypeScript says so of what others have declared.
            guard tokens.word(at: place - 1) != "declare" else { return }
            guard let name = tokens.word(at: place + 1) else { return readNames(in: place + 1) }
            guard !isItself(name, at: place + 3) else { return }
            facts.defined.insert(name)
            if word == "const", tokens.isMark("=", at: place + 2) { readConstant(name, at: place + 3) }
        case "class", "enum":
            if let name = tokens.word(at: place + 1) { facts.defined.insert(name) }
        case "import": readImport(at: place)
        default: readAssignment(word, at: place)
        }
    }

    private mutating func readImport(at place: Int) {
        let before = facts.defined
        if let name = tokens.word(at: place + 1), name != "type" { facts.defined.insert(name) }
        if tokens.isMark("*", at: place + 1), let name = tokens.word(at: place + 3) {
            facts.defined.insert(name)
        }
        readNames(in: place + 1)
        readNames(in: place + 3)
        facts.imports.formUnion(facts.defined.subtracting(before))
    }

    /// `Shop = …`, `window.Shop = …`, and in an object of constants `pay: 'pay'`.
    private mutating func readAssignment(_ word: String, at place: Int) {
        if tokens.isMark("=", at: place + 1), isGlobal(place), !isItself(word, at: place + 2) {
            facts.defined.insert(word)
        }
        guard tokens.isMark(":", at: place + 1) || tokens.isMark("=", at: place + 1),
            let owner = script.owner(of: place)
        else { return }
        readConstant("\(owner).\(word)", at: place + 2)
    }

    /// Keeps a text that stands alone, unless the name says another one elsewhere.
    private mutating func readConstant(_ name: String, at place: Int) {
        guard tokens.indices.contains(place), let text = tokens[place].text, tokens[place].holes == 0 else {
            return
        }
        guard !tokens.isMark("+", at: place + 1), !tokens.isMark(".", at: place + 1) else { return }
        facts.constants[name] = facts.constants[name].map { $0 == text ? text : "" } ?? text
    }

    /// The names in braces: `{ pay, share as shareIt }`.
    private mutating func readNames(in place: Int) {
        guard tokens.isMark("{", at: place) || tokens.isMark("[", at: place) else { return }
        for range in script.parts(place, most: 100) {
            if let name = tokens[range].last?.word { facts.defined.insert(name) }
        }
    }

    /// `Shop = Shop || {}` or `Shop = window.Shop || {}`, which declares nothing that another has not.
    private func isItself(_ name: String, at place: Int) -> Bool {
        tokens.word(at: place) == name
            || tokens.isMark(".", at: place + 1) && tokens.word(at: place + 2) == name
    }

    // MARK: Shortcuts

    /// `MyApp.pay(…)`: an object that may be the app's.
    mutating func readShortcut(_ word: String, at place: Int) {
        guard let first = word.first, first.isASCII, first.isUppercase, isGlobal(place),
            !Self.known.contains(word), BridgeHint.named(word) == nil
        else { return }
        let isMember = tokens.isMark(".", at: place - 1)
        if isMember || tokens.word(at: place - 1) == "typeof" { facts.lookedFor.insert(word) }
        let line = tokens[place].line
        if tokens.isMark("[", at: place + 1), let close = script.partner(of: place + 1),
            tokens.isMark("(", at: close + 1)
        {
            let shown = "\(word)[\(tokens.word(at: place + 2) ?? "…")]()"
            facts.uses.append(
                .init(
                    bridge: .shortcut(word), name: name(place + 2..<close), line: line, shown: shown,
                    isGuess: true))
        }
        guard tokens.word(at: place - 1) != "new", tokens.isMark(".", at: place + 1),
            let method = tokens.word(at: place + 2), tokens.isMark("(", at: place + 3),
            !["hasOwnProperty", "toString", "call", "apply", "bind"].contains(method)
        else { return }
        // A channel of an app's takes one text; a frame takes more.
        if method == "postMessage", script.parts(place + 3).count != 1 { return }
        facts.uses.append(
            .init(bridge: .shortcut(word), name: .text(method), line: line, shown: "", isGuess: true))
    }

    /// Capitalised names of browsers and of well-known libraries.
    private static let known: Set<String> = [
        "AMap", "AbortController", "Array", "ArrayBuffer", "Atomics", "Audio", "Axios", "BMap", "Backbone",
        "BigInt",
        "Blob", "Boolean", "CSS", "CSSStyleSheet", "Chart", "Cookies", "CustomEvent", "DOMParser", "DataView",
        "Date", "Element", "Error", "Event", "EventSource", "FastClick", "File", "FileReader", "FormData",
        "Function", "HTMLElement", "Handlebars", "Hls", "Image", "Infinity", "Int32Array",
        "IntersectionObserver",
        "Intl", "JSON", "Map", "Math", "MutationObserver", "NaN", "Node", "NodeList", "Notification",
        "Number",
        "Object", "Option", "Performance", "Promise", "Proxy", "QRCode", "RangeError", "React", "ReactDOM",
        "Reflect", "RegExp", "Request", "ResizeObserver", "Response", "Sentry", "Set", "Stripe", "String",
        "Swiper", "Symbol", "THREE", "TypeError", "URL", "URLSearchParams", "Uint8Array", "Vant", "Vue",
        "VueRouter", "Vuex", "WVJBCallbacks", "WeakMap", "WeakSet", "WebAssembly", "WebSocket",
        "WebViewJavascriptBridge", "Worker", "XMLHttpRequest", "XMLSerializer", "Zepto",
        "QRCode", "TextDecoder", "TextEncoder", "WebViewBridge", "AudioContext", "Buffer",
        "AppModule", "AppRegistry", "AppState",
    ]
}
