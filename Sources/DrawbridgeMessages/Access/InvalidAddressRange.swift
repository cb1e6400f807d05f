/// The error for a text that is no address and no range.
package struct InvalidAddressRange: Error, Equatable, CustomStringConvertible {
    /// Says what to write instead.
    package let description: String

    init(_ text: String, _ problem: String) { description = "the address range \(text) \(problem)" }
}
