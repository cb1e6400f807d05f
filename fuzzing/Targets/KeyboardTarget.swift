@testable import DrawbridgeCommand
@testable import DrawbridgeServer
@testable import HTTPGrammar

/// Keys of a terminal.
enum KeyboardTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        var editor = LineEditor()
        for byte in bytes {
            let line = editor.take(byte)
            check((line != nil) == (byte == 0x0A || byte == 0x0D), "\(byte) ends a line or does not")
            if line != nil || byte == 0x15 { check(editor.text.isEmpty, "\(editor.text) is left") }
            for text in [line ?? "", editor.text] {
                check(text.unicodeScalars.allSatisfy(\.isHarmless), "\(text) drives a terminal")
                check(text.utf8.count < 4096 + 4, "a line has \(text.utf8.count) bytes")
            }
        }
        // Whatever was typed before: a line that is wiped out begins anew.
        for byte in "\u{15}ok".utf8 { check(editor.take(byte) == nil, "a line ends too early") }
        check(editor.take(0x0D) == "ok", "\(bytes) is not wiped out")
    }
}
