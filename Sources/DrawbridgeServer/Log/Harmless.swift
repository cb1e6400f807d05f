package import Drawbridge
import HTTPGrammar

extension [UInt8] {
    /// Appends a text that somebody else wrote, as a terminal may have it.
    ///
    /// What would end the line, drive the terminal or show the text in another order than it is read becomes a
    /// question mark.
    package mutating func append(harmless text: String) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self += text.utf8
        } else {
            for scalar in text.unicodeScalars { self += UTF8.encode(scalar.isHarmless ? scalar : "?")! }
        }
    }

    /// The same, cut after so many characters.
    mutating func append(harmless text: String, atMost limit: Int) {
        let isShort = text.utf8.count <= limit
        append(harmless: isShort ? text : String(text.prefix(limit)))
    }

    /// Appends a value as JSON text that a terminal may have, and that is the same value when it is parsed.
    ///
    /// What is harmless stands as it is, and everything else, which JSON has in strings alone, as `\uXXXX`.
    package mutating func append(harmless value: JSON) {
        let text = value.bytes
        if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self += text
        } else {
            for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
                self += scalar.isHarmless ? Array(UTF8.encode(scalar)!) : scalar.escape
            }
        }
    }
}

extension Unicode.Scalar {
    /// The scalar in a string of JSON: one `\uXXXX`, or the two of a surrogate pair.
    fileprivate var escape: [UInt8] {
        utf16.flatMap { unit in
            let digits = String(unit, radix: 16)
            return Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
    }
}
