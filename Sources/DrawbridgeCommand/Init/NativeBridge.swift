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
    /// URLs of a scheme, whatever they say, and the one by which WebViewJavascriptBridge's library asks for it.
    case scheme(String)
    case libraryURL
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
        case .scheme(let name): "by \(name)://"
        case .libraryURL: "by the library's URL"
        case .function(let name): "by \(name)()"
        case .shortcut(let name), .outside(let name): "by \(name)"
        }
    }
}
