extension UInt8 {
    /// White space between and within tags: tab, line feed, form feed, carriage return, space.
    var isHTMLSpace: Bool {
        switch self {
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
        default: false
        }
    }
}
