struct JSONStyle {
    static let newline = UInt8(ascii: "\n")

    let ending: String
    let unit: String

    /// The maximum line length; a longer value is split into lines, one per member.
    private static let width = 100

    init(of text: [UInt8]) {
        ending = text.firstRange(of: Array("\r\n".utf8)) == nil ? "\n" : "\r\n"
        let lines = text.split(separator: Self.newline)
        let first = lines.first { line in
            line.contains { !Self.isSpace($0) } && line.first.map(Self.isSpace) == true
        }
        let indent = first?.prefix(while: Self.isSpace).prefix(8) ?? []
        unit = indent.isEmpty ? "    " : String(decoding: indent, as: UTF8.self)
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    func member(_ name: String, _ value: JSON, indent: String, opening: Bool) -> String {
        let head = "\(JSON.string(name)): "
        return head + text(value, indent: indent, after: indent.count + head.count, opening: opening)
    }

    /// A value as text, in one line if it fits.
    ///
    /// - Parameters:
    ///   - indent: the indentation of the line where the value begins.
    ///   - column: the number of characters before it in that line.
    ///   - opening: whether to split it into lines even if it fits one.
    func text(_ value: JSON, indent: String, after column: Int, opening: Bool = false) -> String {
        let line = Self.line(value)
        if !opening, column + line.count <= Self.width { return line }
        let inner = indent + unit
        let parts: [String]
        switch value {
        case .array(let elements) where !elements.isEmpty:
            parts = elements.map { text($0, indent: inner, after: inner.count) }
        case .object(let members) where members.count > 0:
            parts = members.map { member($0.key, $0.value, indent: inner, opening: false) }
        default: return line
        }
        let isObject = value.objectValue != nil
        let rows = parts.joined(separator: ",\(ending)\(inner)")
        return "\(isObject ? "{" : "[")\(ending)\(inner)\(rows)\(ending)\(indent)\(isObject ? "}" : "]")"
    }

    static func line(_ value: JSON) -> String {
        switch value {
        case .array(let elements): "[\(elements.map(line).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\(JSON.string($0.key)): \(line($0.value))" }.joined(separator: ", "))}"
        default: "\(value)"
        }
    }
}
