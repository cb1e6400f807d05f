extension JSON {
    /// The value as compact JSON text in UTF-8, with members in their order.
    ///
    /// Escaped are only quotes, backslashes and control characters, and the line separators U+2028 and U+2029, which
    /// would break JavaScript that contains the text.
    public var bytes: [UInt8] {
        JSONText.written { $0.write(self) }
    }

    package static func hexadecimal(_ code: some FixedWidthInteger, digits count: Int = 4) -> String {
        let digits = String(code, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// The value's JSON text for error messages, cut to 40 characters.
    package var excerpt: String { description.cut(to: 40) }
}

extension JSONText {
    func write(_ value: JSON) {
        switch value {
        case .null: write(raw: "null")
        case .bool(let bool): write(bool)
        case .number(let number): write(raw: number.literal)
        case .string(let string): write(string)
        case .array(let elements): write(elements) { write($0) }
        case .object(let members):
            write("{" as Unicode.Scalar)
            for (position, member) in members.enumerated() {
                if position > 0 { write("," as Unicode.Scalar) }
                write(member.key)
                write(":" as Unicode.Scalar)
                write(member.value)
            }
            write("}" as Unicode.Scalar)
        }
    }

    func write<Element>(_ elements: [Element], _ element: (Element) -> Void) {
        write("[" as Unicode.Scalar)
        for (place, value) in elements.enumerated() {
            if place > 0 { write("," as Unicode.Scalar) }
            element(value)
        }
        write("]" as Unicode.Scalar)
    }

    /// Writes a string in quotes; the parts between escapes are copied as a whole.
    func write(_ string: String) {
        write("\"" as Unicode.Scalar)
        string.utf8.span.withUnsafeBufferPointer { bytes in
            var start = 0
            var position = bytes.firstSpecial(from: 0, alsoSeparators: true)
            while position < bytes.count {
                var length = 1
                var code = UInt16(bytes[position])
                if code == 0xE2 {
                    length = 3
                    code = 0x2000 | UInt16(bytes[position + 2] & 0x2F)
                }
                if length == 1 || bytes[position + 1] == 0x80 && bytes[position + 2] | 1 == 0xA9 {
                    write(raw: UnsafeBufferPointer(rebasing: bytes[start..<position]))
                    write(raw: Self.escape(code))
                    start = position + length
                }
                position = bytes.firstSpecial(from: position + length, alsoSeparators: true)
            }
            write(raw: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        write("\"" as Unicode.Scalar)
    }

    private static func escape(_ code: UInt16) -> String {
        switch code {
        case 0x22: "\\\""
        case 0x5C: "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: "\\u" + JSON.hexadecimal(code)
        }
    }
}

extension String {
    /// The text cut to `length` Unicode scalars, then with `…`; counts scalars, as one `Character` can be of any size.
    package func cut(to length: Int) -> String {
        guard utf8.count > length else { return self }
        let start = unicodeScalars.prefix(length)
        return start.endIndex == unicodeScalars.endIndex ? self : String(start) + "…"
    }

    /// A text from outside, quoted for a log line and cut to 80 characters.
    package init(quoted text: String) { self = "\(JSON.string(text.cut(to: 80)))" }
}
