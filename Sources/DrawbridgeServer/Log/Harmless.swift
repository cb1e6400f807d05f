extension [UInt8] {
    /// Appends a text that somebody else wrote, as a terminal may have it.
    ///
    /// What would end the line, drive the terminal or show the text in another order than it is read becomes a
    /// question mark.
    mutating func append(harmless text: String) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self += text.utf8
        } else {
            for scalar in text.unicodeScalars { self += UTF8.encode(scalar.isHarmless ? scalar : "?")! }
        }
    }
}

extension Unicode.Scalar {
    /// False for control characters, C1 included, for separators of lines, and for invisible format characters.
    package var isHarmless: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        // The two joiners belong to the words of some languages, and to emoji; they move nothing.
        case .format: return value == 0x200C || value == 0x200D
        default: return true
        }
    }
}
