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

    /// As the file says it behind the place.
    var description: String {
        switch self {
        case .webViewJavascriptBridge: "by WebViewJavascriptBridge"
        case .message(let name): "by messageHandlers.\(name)"
        case .flagged: "by a flagged request"
        case .request: "by http://__jsbridge__"
        case .queue: "by the pull queue"
        case .commandURL: "by a command URL, which hears no answer"
        case .function(let name): "by \(name)()"
        case .shortcut(let name): "by \(name)"
        }
    }
}
