enum PageMessage: Sendable {
    /// A call of a handler; without an id nobody waits for the reply.
    case call(PageCall)
    /// The page's answer to a call from native.
    case result(Int, Result<JSON, PageError>)
    /// The page's answer to a call from native that did not wait for one.
    case told(Int, Result<JSON, PageError>)
    /// The answer to a question, by its number, or why the page cannot show it.
    case answer(Int, Result<JSON, PageError>)
    case ready(Page.Bridge)
    case moved(url: String?, title: String?, isHidden: Bool?)
    /// The page has looked up a name that does not exist.
    case missed(MissedName)
    /// Something went wrong in the page itself: an `error` that nobody caught, or a `rejection`.
    case fault(kind: String, detail: JSON.Object)
    /// Who answers what the app has too, or should have.
    case app(InAppNote)
    case bridgeFault(Page.Bridge, message: String, line: Int?)

    init?(_ json: JSON) {
        if let name = json["call"]?.stringValue {
            var call = PageCall(name, json["data"], by: Page.Bridge(json["bridge"]))
            call.id = json["id"]?.numberValue?.intValue
            call.waits = json["waits"]?.boolValue == true
            call.takesProgress = json["progress"]?.boolValue == true
            self = .call(call)
        } else if let id = json["result"]?.numberValue?.intValue {
            self = .result(id, Self.outcome(json))
        } else if let id = json["told"]?.numberValue?.intValue {
            self = .told(id, Self.outcome(json))
        } else if let number = json["answer"]?.numberValue?.intValue {
            self = .answer(number, Self.outcome(json))
        } else if let bridge = Page.Bridge(json["ready"]) {
            self = .ready(bridge)
        } else if let note = InAppNote(json) {
            self = .app(note)
        } else if let missed = MissedName(json) {
            self = .missed(missed)
        } else if let kind = json["fault"]?.stringValue, ["error", "rejection"].contains(kind) {
            var detail: JSON.Object = ["message": .string(json["message"]?.stringValue ?? "")]
            for name in ["stack", "source"] { detail[name] = json[name]?.stringValue.map(JSON.string) }
            detail["line"] = json["line"]?.numberValue.map(JSON.number)
            self = .fault(kind: kind, detail: detail)
        } else if let bridge = Page.Bridge(json["bridge"]), let message = json["message"]?.stringValue {
            self = .bridgeFault(bridge, message: message, line: json["line"]?.numberValue?.intValue)
        } else if json["url"] != nil || json["title"] != nil || json["hidden"] != nil {
            self = .moved(
                url: json["url"]?.stringValue, title: json["title"]?.stringValue,
                isHidden: json["hidden"]?.boolValue)
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

/// A page's call of a handler, by one of the bridges with a callback.
package struct PageCall: Sendable {
    var name: String
    var data: JSON?
    var id: Int?
    var bridge: Page.Bridge?
    /// Set by a `--bridge` script: its caller waits for an answer, and accepts progress before it.
    var waits = false
    var takesProgress = false
    /// False for a synchronous call, whose answer is the response to its request.
    package var isByChannel = true
    /// The number of the call in the journal that this one repeats.
    package var resentFrom: Int?

    package init(_ name: String, _ data: JSON? = nil, by bridge: Page.Bridge? = nil) {
        (self.name, self.data, self.bridge) = (name, data, bridge)
    }

    var needsAnswer: Bool { waits || bridge?.needsAnswer == true }

    /// Whether the callback may be called more than once.
    var hearsProgress: Bool { takesProgress || bridge?.hearsProgress == true }
}
