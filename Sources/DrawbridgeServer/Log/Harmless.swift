extension [UInt8] {
    /// Appends untrusted text for a terminal: line breaks, control characters and characters that change the text's
    /// direction are replaced by question marks.
    package mutating func append(harmless text: String) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self += text.utf8 }
        for scalar in text.unicodeScalars { self += UTF8.encode(scalar.isHarmless ? scalar : "?")! }
    }

    /// Appends a value as JSON for a terminal; it parses to the same value.
    ///
    /// Control characters and the like occur only in strings, where they are escaped as `\uXXXX`.
    package mutating func append(harmless value: JSON) {
        let text = value.bytes
        if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self += text }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            self +=
                scalar.isHarmless
                ? Array(UTF8.encode(scalar)!)
                : scalar.utf16.flatMap { Array("\\u\(JSON.hexadecimal($0))".utf8) }
        }
    }
}
