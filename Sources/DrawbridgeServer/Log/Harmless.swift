package import Drawbridge
import HTTPGrammar

extension [UInt8] {
    /// Appends a text from outside so that it can be printed in a terminal.
    ///
    /// What would end the line, control the terminal or change the direction of the text becomes a
    /// question mark.
    package mutating func append(harmless text: String) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self += text.utf8
        } else {
            for scalar in text.unicodeScalars { self += UTF8.encode(scalar.isHarmless ? scalar : "?")! }
        }
    }

    /// - Parameter limit: characters; the rest is left out.
    mutating func append(harmless text: String, atMost limit: Int) {
        let isShort = text.utf8.count <= limit
        append(harmless: isShort ? text : String(text.prefix(limit)))
    }

    /// Appends a value as JSON that can be printed in a terminal, and that is parsed to the same value.
    ///
    /// Characters that are not harmless, which JSON has only in strings, are escaped as `\uXXXX`.
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
        utf16.flatMap { Array("\\u\(JSON.hexadecimal($0))".utf8) }
    }
}
