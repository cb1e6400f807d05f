import HTTPGrammar

/// Why an upstream's response is refused as malformed.
package struct MalformedResponse: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it, in text that can be printed in a log.
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
