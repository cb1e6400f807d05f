import Drawbridge

/// What one script, or all scripts of one page, say about native.
struct ScriptFacts {
    /// A value where a name is wanted.
    enum Name: Equatable {
        case text(String)
        /// What another place of the scripts says: `GET_USER`, `Names.getUser`.
        case constant(String)
        /// What whoever calls the function passes.
        case parameter(of: Wrapper, index: Int)
        /// Only a run tells.
        case unread
    }

    /// A function of the page's own that hands a name on.
    struct Wrapper: Hashable {
        let name: String
        let isMember: Bool
        let owner: String?
    }

    /// A call of native.
    struct Use {
        let bridge: NativeBridge
        let name: Name
        let line: Int
        /// What stands there, for a name that cannot be read.
        let shown: String
        var isGuess = false
        /// What a reply's name is made of it.
        var form = Form.plain
    }

    /// How a bridge makes one name of what its calls say.
    enum Form: Hashable {
        case plain
        /// Behind the name of a service, a plugin or an object: `Camera/getPhoto`.
        case below(String)
        /// A dot parts a namespace from the method, as DSBridge has it: `ns.method`.
        case namespaced

        /// The whole name; nil for a call of the bridge's own that needs no answer.
        func path(_ name: String) -> String? {
            switch self {
            case .plain: name
            case .below(""): name
            case .below(let owner): "\(owner)/\(name)"
            case .namespaced where name.hasPrefix("_dsb."): nil
            case .namespaced:
                name.lastIndex(of: ".").map { "\(name[..<$0])/\(name[name.index(after: $0)...])" } ?? name
            }
        }
    }

    /// Where a script speaks to native by a bridge from outside.
    struct Spoken {
        let hint: BridgeHint
        let line: Int
        /// Whether the page's own half of the bridge does, which a page that brings the object itself cannot do without
        /// the app.
        var isByItsHalf = false
    }

    /// A call of any function, by which wrappers are followed.
    struct Call {
        /// Before the dot, and empty where that is no name; nil for a function that is called by itself.
        let receiver: String?
        let arguments: [Name]
        let line: Int
    }

    /// A name with the line in which it stands.
    struct Mention: Equatable {
        let name: String
        let line: Int
        var isGuess = false
    }

    var uses: [Use] = []
    var calls: [String: [Call]] = [:]
    var constants: [String: String] = [:]
    /// The names that it declares.
    var defined: Set<String> = []
    /// Those of them that are another file's.
    var imports: Set<String> = []
    /// The objects that it looks for before it uses them: `if (window.MyApp)`.
    var lookedFor: Set<String> = []
    /// What the page has for native to call.
    var listeners: [Mention] = []
    var schemes: [Mention] = []
    var commandItems: [Mention] = []
    /// The names below `messageHandlers`, and whether one is asked for a promise.
    var handlers: [String: Bool] = [:]
    var spoken: [Spoken] = []
    /// Names under which a script keeps a bridge's function: `var callHandler = flutter_inappwebview.callHandler`.
    var aliases: [String: BridgeHint] = [:]
    /// Capacitor's plugins, by the names that the script has for them.
    var plugins: [String: String] = [:]
    /// Whether it imports anything of Capacitor's.
    var hasCapacitor = false
    /// Whether it asks for WebViewJavascriptBridge by the library's own URL.
    var asksForBridge = false
    /// The files that a page has as scripts, and that a script imports, as they say it.
    var references: [String] = []
    /// Whether it has the scheme of the JsBridge for Android, apart from the rest of its URL.
    var isOfYY = false
}

/// By which bridge a page calls native.
enum NativeBridge: Hashable {
    case webViewJavascriptBridge
    case message(String)
    case flagged
    case request
    case queue
    case commandURL
    case function(String)
    case shortcut(String)
    /// One that pages have by `--bridge`, by its object.
    case outside(String)

    /// As the file says it behind the place.
    var description: String {
        switch self {
        case .webViewJavascriptBridge: "by WebViewJavascriptBridge"
        case .message(let name): "by messageHandlers.\(name)"
        case .flagged: "by a flagged request"
        case .request: "by http://__jsbridge__"
        case .queue: "by the pull queue"
        case .commandURL: "by a URL, which expects no answer"
        case .function(let name): "by \(name)()"
        case .shortcut(let name), .outside(let name): "by \(name)"
        }
    }
}
