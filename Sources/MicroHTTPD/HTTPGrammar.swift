import HTTPTypes

extension HTTPField.Name {
    static let host = Self("Host")!
}

extension UInt8 {
    /// A character of a token (RFC 9110, section 5.6.2).
    var isTokenByte: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// A character of a field value (RFC 9110, section 5.5).
    var isFieldByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// A character of a registered name (RFC 3986, section 3.2.2), without the comma, which would make a list.
    var isHostByte: Bool { isAlphanumeric || "-._~!$&'()*+;=%".utf8.contains(self) }

    var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
