import HTTPTypes

/// The header of an answer that has only a `Content-Type`, made once for each usual type.
package final class ContentType: Sendable {
    package let text: String
    let headers: HTTPFields
    /// The fields that every answer of a handler with that type has.
    let fixed: FixedFields

    private init(_ text: String) {
        self.text = text
        headers = HTTPFields(.contentType, text)
        fixed = FixedFields(
            [HTTPField(name: .contentType, value: text)] + FixedFields.guardedAndFresh.fields)
    }

    static func usual(_ text: String) -> ContentType? {
        for type in all where type.text == text { return type }
        return nil
    }

    private static let all = [
        "text/json", "application/json", "text/plain; charset=utf-8", "text/plain",
        "text/html; charset=utf-8",
        "text/html", "text/event-stream", "application/octet-stream",
    ].map(ContentType.init)
}
