import HTTPGrammar

extension UInt8 {
    /// White space between and within tags: tab, line feed, form feed, carriage return, space.
    var isHTMLSpace: Bool {
        switch self {
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
        default: false
        }
    }

    /// An ASCII letter in lower case; any other byte as it is.
    var lowercased: UInt8 { isLetter ? self | 0x20 : self }
}
