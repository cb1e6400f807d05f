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
