import HTTPGrammar

/// A response of an upstream that cannot be trusted to mean what it seems to.
package struct MalformedResponse: Error, Equatable, CustomStringConvertible {
    /// Says what is wrong with it, in text that a log may have.
    package let description: String

    /// - Parameter bytes: what is shown of the response, cut short.
    package init(_ problem: String, _ bytes: UnsafeRawBufferPointer? = nil) {
        guard let bytes else {
            description = problem
            return
        }
        var shown = String.UnicodeScalarView()
        for scalar in String(decoding: bytes.prefix(60), as: UTF8.self).unicodeScalars {
            shown.append(scalar.isHarmless ? scalar : "?")
        }
        description = "\(problem): \(String(shown))"
    }
}
