/// The addresses that begin with the same bits: `10.0.0.0/8` (RFC 4632, section 3.1).
package struct AddressRange: Sendable, Equatable {
    private let first: IPAddress
    private let rest: Int

    /// - Parameter prefix: the number of leading bits that are equal, of 32 or of 128.
    package init(_ address: IPAddress, prefix: Int) {
        (first, rest) = (address, (address.isIPv6 ? 128 : 32) - prefix)
    }

    package init(_ text: String) throws(InvalidAddressRange) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(parts[0])
        guard !written.utf8.contains(UInt8(ascii: "%")), let address = IPAddress(written) else {
            throw InvalidAddressRange(
                text, "is not an address; write it as numbers, 192.0.2.7, 10.0.0.0/8 or fd00::/8")
        }
        // The prefix length of an IPv4 address in IPv6 form, `::ffff:10.0.0.0/104`, includes the 96 bits before it.
        let offset = !address.isIPv6 && written.utf8.contains(UInt8(ascii: ":")) ? 96 : 0
        let size = address.isIPv6 ? 128 : 32
        guard parts.count == 2 else {
            self.init(address, prefix: size)
            return
        }
        guard let length = Int(plain: parts[1]), (0...size).contains(length - offset) else {
            throw InvalidAddressRange(
                text,
                "has no valid prefix length; write a number from \(offset) to \(offset + size) after the slash"
            )
        }
        self.init(address, prefix: length - offset)
        guard address.bits.trailingZeroBitCount >= rest else {
            throw InvalidAddressRange(
                text,
                "has bits after its prefix; write \(written) for the one address, or zeros for the range")
        }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv6 == first.isIPv6 && address.bits >> UInt128(rest) == first.bits >> UInt128(rest)
    }
}

package struct InvalidAddressRange: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ text: String, _ problem: String) { description = "the address range \(text) \(problem)" }
}
