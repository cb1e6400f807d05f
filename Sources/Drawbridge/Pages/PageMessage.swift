/// What a page says to native, one message of its channel.
enum PageMessage: Sendable {
    /// A call of a handler; without an id nobody waits for the reply.
    case call(PageCall)
    /// The answer to a call of ours.
    case result(Int, Result<JSON, PageError>)
    /// A bridge of the page's is ready to take calls.
    case ready(Page.Bridge)
    case moved(url: String?, title: String?)

    /// Reads a message; nil for one that says nothing.
    init?(_ json: JSON) {
        if let name = json["call"]?.stringValue {
            self = .call(
                PageCall(
                    name: name, data: json["data"], id: json["id"]?.numberValue?.intValue,
                    door: json["door"]?.stringValue.flatMap(PageCall.Door.init)))
        } else if let id = json["result"]?.numberValue?.intValue {
            self = .result(id, Self.outcome(json))
        } else if let name = json["bridge"]?.stringValue, let bridge = Page.Bridge(rawValue: name) {
            self = .ready(bridge)
        } else if json["url"] != nil || json["title"] != nil {
            self = .moved(url: json["url"]?.stringValue, title: json["title"]?.stringValue)
        } else {
            return nil
        }
    }

    private static func outcome(_ json: JSON) -> Result<JSON, PageError> {
        guard let error = json["error"] else { return .success(json["value"] ?? .null) }
        return .failure(
            PageError(
                .failed(code: error["code"]?.numberValue?.intValue ?? 500),
                error["message"]?.stringValue ?? "the page gave no reason"))
    }
}

/// A page's call of a handler, by one of the doors with a callback.
struct PageCall: Sendable {
    /// The way by which the page called.
    enum Door: String, Sendable {
        case wvjb, queue, message, inject, shortcut, iframe, command
        /// A message handler whose `postMessage` gives a promise.
        case reply
        /// WebViewJavascriptBridge as the page has brought it.
        case ownLibrary

        /// Whether whoever calls waits for ever where nothing comes: promises and functions must come to an end.
        var needsAnswer: Bool { [.reply, .inject, .shortcut, .iframe].contains(self) }

        /// Whether a callback may be called again: elsewhere it is the page's own code, which forgets it with the first
        /// answer (contract, sections 3 to 5), or a promise.
        var hearsProgress: Bool { self == .wvjb || self == .shortcut }

        /// Whether the page gets what a synchronous request would get, as one text (contract, section 2).
        var hasEnvelope: Bool { self == .iframe }
    }

    var name: String
    var data: JSON?
    /// The number under which its page waits for the answer.
    var id: Int?
    var door: Door?
    /// False for a synchronous call, whose answer is that of its request.
    var isByChannel = true
}
