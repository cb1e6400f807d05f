/// A text that is no valid upstream.
package struct InvalidUpstream: Error, Equatable, CustomStringConvertible {
    /// Says what to write instead.
    package let description: String

    init(_ text: String, _ problem: String) { description = "the upstream \(text) \(problem)" }
}
