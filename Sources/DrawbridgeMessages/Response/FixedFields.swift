import HTTPTypes

/// Header fields that are the same in many answers.
package final class FixedFields: Sendable {
    package let fields: [HTTPField]
    /// The fields as C strings: a name, its value, the next name.
    let text: [UInt8]

    package init(_ fields: [HTTPField]) {
        self.fields = fields
        text = fields.flatMap { Array("\($0.name.rawName)\0\($0.value)\0".utf8) }
    }

    /// Keep a foreign page from using the answer as a script or an image.
    package static let guarded = FixedFields([
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
    ])

    /// The same, and forbid caching.
    package static let guardedAndFresh = FixedFields(
        [HTTPField(name: .cacheControl, value: "no-store")] + guarded.fields)
}
