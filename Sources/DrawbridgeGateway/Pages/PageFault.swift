/// Something that went wrong in a page itself, such as an error that nobody caught.
struct PageFault: Sendable {
    enum Kind: String, CaseIterable {
        case error
        case rejection
    }

    let kind: Kind
    /// `message`, and where it is known `stack`, `source` and `line`.
    let detail: JSON.Object

    /// Nil for what the page runtime never sends.
    init?(_ json: JSON) {
        guard let kind = json["fault"]?.stringValue.flatMap(Kind.init) else { return nil }
        self.kind = kind
        var detail: JSON.Object = ["message": .string(json["message"]?.stringValue ?? "")]
        for name in ["stack", "source"] { detail[name] = json[name]?.stringValue.map(JSON.string) }
        detail["line"] = json["line"]?.numberValue.map(JSON.number)
        self.detail = detail
    }
}
