/// What a terminal shows of what was written to it, without an end to its width and height.
///
/// It knows the few sequences that the log may send; any other is kept to be complained about.
package struct Screen: Sendable {
    /// The lines from the first; the cursor is in the last.
    package var lines: [String] { rows.map { String(String.UnicodeScalarView($0)) } }
    /// The line with the cursor.
    package var lastLine: String { lines.last ?? "" }
    /// The colours that were set, as parameters: `1;36`.
    package private(set) var colors: Set<String> = []
    /// Sequences and controls that a log has no business to send.
    package private(set) var unknown: [String] = []

    private var rows: [[Unicode.Scalar]] = [[]]
    private var column = 0
    private var character: [UInt8] = []
    private var sequence: String?

    package init() {}

    /// True when a line has this text.
    package func has(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    /// Shows bytes.
    package mutating func show(_ bytes: [UInt8]) {
        for byte in bytes {
            character.append(byte)
            guard let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first else {
                if character.count > 3 { character = [] }
                continue
            }
            character = []
            show(scalar)
        }
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
        if let sequence {
            self.sequence = sequence + String(scalar)
            if sequence.isEmpty ? scalar != "[" : ("@"..."~").contains(scalar) { endSequence() }
            return
        }
        switch scalar {
        case "\r": column = 0
        case "\n": rows.append([])
        case "\u{1B}": sequence = ""
        case "\0"..<" ", "\u{7F}"..."\u{9F}": unknown.append("U+" + String(scalar.value, radix: 16))
        default:
            let last = rows.count - 1
            while rows[last].count < column { rows[last].append(" ") }
            if column < rows[last].count {
                rows[last][column] = scalar
            } else {
                rows[last].append(scalar)
            }
            column += 1
        }
    }

    private mutating func endSequence() {
        let whole = sequence ?? ""
        sequence = nil
        if whole == "[K" {
            rows[rows.count - 1] = Array(rows[rows.count - 1].prefix(column))
        } else if whole.hasSuffix("m") {
            colors.insert(String(whole.dropFirst().dropLast()))
        } else {
            unknown.append("ESC " + whole)
        }
    }
}
