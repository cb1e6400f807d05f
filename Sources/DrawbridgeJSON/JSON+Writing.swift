extension JSON {
    /// The value as compact JSON text in UTF-8, with members in their order.
    ///
    /// Escaped are only quotes, backslashes and control characters, and the line separators U+2028 and U+2029, which
    /// would break JavaScript that contains the text.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    package func write(into output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let bool): output.append(contentsOf: (bool ? "true" : "false").utf8)
        case .number(let number): output.append(contentsOf: number.literal.utf8)
        case .string(let string): Self.write(string, into: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                element.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.key, into: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a string in quotes; the parts between escapes are copied as a whole.
    package static func write(_ string: String, into output: inout [UInt8]) {
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
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
                    output.append(contentsOf: bytes[start..<position])
                    output.append(contentsOf: escape(code).utf8)
                    start = position + length
                }
                position = bytes.firstSpecial(from: position + length, alsoSeparators: true)
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    package static func write(_ value: Int, into output: inout [UInt8]) {
        var rest = value.magnitude
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var start = digits.count
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 {
            start -= 1
            digits[start] = UInt8(ascii: "-")
        }
        for position in start..<digits.count { output.append(digits[position]) }
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
        default: "\\u" + hexadecimal(code)
        }
    }

    package static func hexadecimal(_ code: some FixedWidthInteger, digits count: Int = 4) -> String {
        let digits = String(code, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// The value's JSON text for error messages, cut to 40 characters.
    package var excerpt: String { description.cut(to: 40) }
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
