/// Percent-encoding, RFC 3986, section 2.1.
package enum Percent {
    /// Decodes `%xx`; a `%` that is not followed by two hexadecimal digits is kept, as in browsers.
    ///
    /// - Parameter plusIsSpace: reads `+` as a space, as forms and queries of pages write it.
    /// - Returns: nil when the bytes are not UTF-8.
    package static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(Substring(text))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = hexPair(rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes everything but the unreserved characters of RFC 3986, section 2.3, and those in `keeping`.
    package static func encode(_ text: String, keeping: String = "") -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if byte.isWord || "-.~".utf8.contains(byte) || (byte < 0x80 && keeping.contains(character)) {
                encoded.append(character)
            } else {
                encoded += byte < 16 ? "%0" : "%"
                encoded += String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    private static func hexPair(_ pair: Substring.UTF8View) -> UInt8? {
        let digits = pair.compactMap(\.hexadecimalValue)
        return digits.count == 2 ? digits[0] << 4 | digits[1] : nil
    }
}
