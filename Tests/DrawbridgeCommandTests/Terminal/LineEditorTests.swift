import Testing

@testable import DrawbridgeCommand

@Suite(.timeLimit(.minutes(5))) struct LineEditorTests {
    /// The lines that these keys make, and what is left of the last.
    private func lines(_ keys: String) -> [String] { lines(Array(keys.utf8)) }

    private func lines(_ bytes: [UInt8]) -> [String] {
        var editor = LineEditor()
        return bytes.compactMap { editor.take($0) } + [editor.text]
    }

    @Test func makesLines() {
        #expect(lines("ok\r3 cancel\nhal") == ["ok", "3 cancel", "hal"])
        #expect(lines("\r") == ["", ""])
    }

    @Test func takesBackACharacterAndTheLine() {
        #expect(lines("oj\u{7F}k\u{8}\u{7F}\u{7F}") == [""])
        #expect(lines("né\u{7F}") == ["n"])
        #expect(lines("ne\u{301}\u{7F}") == ["n"])
        #expect(lines("a名\u{7F}b") == ["ab"])
        #expect(lines("cancel\u{15}ok") == ["ok"])
    }

    @Test(arguments: [
        "o\u{1B}[Ak", "o\u{1B}[1;5Ck", "o\u{1B}OPk", "o\u{1B}[200~k", "o\u{1B}xk", "o\u{4}k", "o\tk",
        "o\u{1B}]0;title\u{7}k", "o\u{1B}]0;title\u{1B}\\k", "o\u{9B}k", "o\u{202E}k",
    ])
    func swallowsAllOtherKeys(keys: String) {
        #expect(lines(keys) == ["ok"])
    }

    @Test func dropsWhatIsNoCharacter() {
        #expect(lines([0x6F, 0xFF, 0xC3, 0x6B]) == ["ok"])
        #expect(lines([0xE5, 0x90, 0x8D, 0x80, 0xC3, 0xA9]) == ["名é"])
    }

    @Test func takesNoEndlessLine() {
        #expect(lines(String(repeating: "x", count: 10_000))[0].count == 4096)
    }
}
