/// Decodes and escapes the value of an attribute.
enum HTMLText {
    /// Decodes character references to ASCII (HTML, section 13.2.5.72); others stay as they are.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "&"), let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let character = character(named: String(decoding: rest[..<end], as: UTF8.self))
            {
                text.append(character)
                rest = rest[(end + 1)...]
            } else {
                text.append(byte)
            }
        }
        return text
    }

    /// Escapes a text for a value within this quote; without one, it gets quotes of its own.
    static func escaped(_ text: [UInt8], in quote: UInt8?) -> [UInt8] {
        let mark = quote ?? UInt8(ascii: "\"")
        var bytes: [UInt8] = quote == nil ? [mark] : []
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case mark: bytes += (mark == UInt8(ascii: "\"") ? "&quot;" : "&#39;").utf8
            default: bytes.append(byte)
            }
        }
        if quote == nil { bytes.append(mark) }
        return bytes
    }

    private static func character(named name: String) -> UInt8? {
        switch name {
        case "amp", "AMP": return UInt8(ascii: "&")
        case "quot", "QUOT": return UInt8(ascii: "\"")
        case "apos": return UInt8(ascii: "'")
        case "lt", "LT": return UInt8(ascii: "<")
        case "gt", "GT": return UInt8(ascii: ">")
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let code = isHexadecimal ? UInt8(digits.dropFirst(), radix: 16) : UInt8(digits)
        return code.flatMap { (0x20..<0x7F).contains($0) ? $0 : nil }
    }
}
