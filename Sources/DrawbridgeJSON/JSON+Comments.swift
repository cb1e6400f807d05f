extension JSON {
    /// The JSON text with `//` comments overwritten by spaces, so that errors keep their lines and columns.
    package static func blankingComments(in text: [UInt8]) -> [UInt8] {
        var text = text
        var isInString = false
        var place = 0
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\\") where isInString: place += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "/")
            where !isInString && place + 1 < text.count && text[place + 1] == text[place]:
                while place < text.count, text[place] != UInt8(ascii: "\n") {
                    text[place] = UInt8(ascii: " ")
                    place += 1
                }
            default: break
            }
            place += 1
        }
        return text
    }
}
