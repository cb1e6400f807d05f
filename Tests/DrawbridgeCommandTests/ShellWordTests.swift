import Testing

@testable import DrawbridgeCommand

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("my-page", "my-page"), ("", "''"), ("~x", "'~x'"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
        ("'\u{301}; x", "''\\''\u{301}; x'"), ("$(x)", "'$(x)'"),
    ])
    func aShellReadsTheQuotedWordUnchanged(text: String, word: String) {
        #expect(Array(ShellWord(text).description.utf8) == Array(word.utf8))
    }
}
