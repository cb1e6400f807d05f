/// The header of an answer that has only a `Content-Type`, made once for each usual type.
package final class ContentType: Sendable {
    package let text: String
    let headers: HTTPFields
    /// The fields that every answer of a handler with that type has.
    let fixed: FixedFields

    private init(_ text: String) {
        self.text = text
        headers = [.contentType: text]
        fixed = FixedFields(
            [HTTPField(name: .contentType, value: text)] + FixedFields.guardedAndFresh.fields)
    }

    static func usual(_ text: String) -> ContentType? { all.first { $0.text == text } }

    private static let all = [
        "text/json", "application/json", "text/plain; charset=utf-8", "text/plain",
        "text/html; charset=utf-8", "text/html", "text/event-stream", "application/octet-stream",
    ].map(ContentType.init)
}

package final class FixedFields: Sendable {
    package let fields: [HTTPField]
    /// The fields as C strings: a name, its value, the next name.
    let text: [UInt8]

    package init(_ fields: [HTTPField]) {
        self.fields = fields
        text = fields.flatMap { Array("\($0.name.rawName)\0\($0.value)\0".utf8) }
    }

    /// Fields that keep a foreign page from using the answer as a script or an image.
    package static let guarded = FixedFields([
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
    ])

    /// The fields of ``guarded``, and one that forbids caching.
    package static let guardedAndFresh = FixedFields(
        [HTTPField(name: .cacheControl, value: "no-store")] + guarded.fields)
}
