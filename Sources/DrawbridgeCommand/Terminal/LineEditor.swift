import DrawbridgeServer
import HTTPGrammar

/// Makes lines of what a keyboard sends: printable characters, backspace, Ctrl-U and Enter.
///
/// Other keys do nothing, and the sequences that arrow and function keys send are swallowed. Some keys, as Alt-P, begin
/// a sequence that never ends: Enter and Ctrl-U end any.
struct LineEditor {
    private enum Sequence {
        case none
        /// After an escape.
        case begun
        /// Until its last byte: ECMA-48, 5.4.
        case control
        /// One more byte: a function key.
        case single
        /// Until a bell, or an escape and a backslash.
        case string
    }

    /// More is not taken; nobody types that much.
    private static let limit = 4096

    /// What has been typed of the line so far.
    private(set) var text = ""
    private var sequence = Sequence.none
    private var partial: [UInt8] = []

    /// Takes one byte.
    ///
    /// - Returns: the line, when the byte ended it.
    mutating func take(_ byte: UInt8) -> String? {
        if [0x0A, 0x0D, 0x15].contains(byte) { sequence = .none }
        guard sequence == .none else {
            sequence = rest(of: sequence, after: byte)
            return nil
        }
        switch byte {
        case 0x0A, 0x0D:
            defer { self = LineEditor() }
            return text
        case 0x1B: sequence = .begun
        case 0x7F, 0x08: if !text.isEmpty { text.removeLast() }
        case 0x15: text = ""
        case 0x00..<0x20: break
        default: add(byte)
        }
        return nil
    }

    private func rest(of sequence: Sequence, after byte: UInt8) -> Sequence {
        switch (sequence, byte) {
        case (.begun, UInt8(ascii: "[")): .control
        case (.begun, UInt8(ascii: "O")): .single
        // OSC, DCS, SOS, PM and APC.
        case (.begun, UInt8(ascii: "]")), (.begun, UInt8(ascii: "P")), (.begun, UInt8(ascii: "X")),
            (.begun, UInt8(ascii: "^")), (.begun, UInt8(ascii: "_")):
            .string
        case (.control, 0x20..<0x40): .control
        case (.string, 0x07): .none
        case (_, 0x1B): .begun
        case (.string, _): .string
        default: .none
        }
    }

    /// Adds a character when the last of its bytes is there.
    private mutating func add(_ byte: UInt8) {
        // A byte that begins a character drops the one before it that was not finished.
        if byte & 0xC0 != 0x80 { partial = [] }
        partial.append(byte)
        guard let scalar = String(validating: partial, as: UTF8.self)?.unicodeScalars.first else {
            if partial.count > 3 { partial = [] }
            return
        }
        partial = []
        if scalar.isHarmless, text.utf8.count < Self.limit { text.unicodeScalars.append(scalar) }
    }
}
