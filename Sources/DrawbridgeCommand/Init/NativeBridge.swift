/// By which bridge a page calls native.
enum NativeBridge: Hashable {
    case message(String)
    case function(String)
    case shortcut(String)
    /// Any URL of a scheme.
    case scheme(String)
    /// A bridge of `--bridge`, by the name of its object in the page.
    case outside(String)
    /// A way that every page is given: a flagged request, `http://__jsbridge__`, the library of WebViewJavascriptBridge.
    case given(String)
    case other(String)

    /// The comment that `init` writes into the file, after the place of a call.
    var description: String {
        switch self {
        case .message(let name): "by messageHandlers.\(name)"
        case .scheme(let name): "by \(name)://"
        case .function(let name): "by \(name)()"
        case .shortcut(let name), .outside(let name), .given(let name), .other(let name): "by \(name)"
        }
    }
}
