/// Host and port as an authority has them (RFC 3986, section 3.2): with no user name, no list and no space.
package struct HostAndPort {
    /// Where the host stands, without the brackets of an IPv6 address.
    package let host: Range<Int>
    package let port: Int?
    package let isIPv6: Bool

    /// Nil for bytes that are no authority.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        isIPv6 = bytes.first == UInt8(ascii: "[")
        let fitting = isIPv6 ? ASCIISet.address : ASCIISet.host
        let start = isIPv6 ? 1 : 0
        var position = start
        while position < bytes.count, fitting.contains(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        host = start..<position
        if isIPv6 {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "]") else { return nil }
            position += 1
        }
        var port: Int?
        if position < bytes.count {
            guard bytes[position] == UInt8(ascii: ":") else { return nil }
            for byte in bytes[(position + 1)...] {
                guard byte.isDigit else { return nil }
                let number = (port ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard number <= UInt16.max else { return nil }
                port = number
            }
        }
        self.port = port
    }
}
