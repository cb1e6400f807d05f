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
    /// Any URL of a scheme, and `…://__bridge_loaded__`, by which WebViewJavascriptBridge's library is requested.
    case scheme(String)
    case libraryURL
    /// A bridge of `--bridge`, by the name of its object in the page.
    case outside(String)

    /// The comment that `init` writes into the file, after the place of a call.
    var description: String {
        switch self {
        case .webViewJavascriptBridge: "by WebViewJavascriptBridge"
        case .message(let name): "by messageHandlers.\(name)"
        case .flagged: "by a flagged request"
        case .request: "by http://__jsbridge__"
        case .queue: "by the pull queue"
        case .commandURL: "by a URL, which expects no answer"
        case .scheme(let name): "by \(name)://"
        case .libraryURL: "by the library's URL"
        case .function(let name): "by \(name)()"
        case .shortcut(let name), .outside(let name): "by \(name)"
        }
    }
}
