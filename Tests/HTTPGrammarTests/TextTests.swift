import HTTPGrammar
import Testing

@Suite("Texts, byte by byte") struct TextTests {
    @Test(arguments: [
        ("chunked", true), ("", false), ("chunke", false), ("chunked ", false), ("chunked\0", false),
        ("Chunked", false),
        ("chunkeD", false), ("chunke\0", false), ("\0hunked", false),
    ])
    func bytesEqualATextOnlyAsAWhole(_ text: String, isText: Bool) {
        #expect(Array(text.utf8).withUnsafeBytes { $0.isText("chunked") } == isText)
    }

    @Test func textsAreComparedByTheirUTF8Bytes() {
        #expect(Array("é".utf8).withUnsafeBytes { $0.isText("é") })
        #expect(!Array("e\u{301}".utf8).withUnsafeBytes { $0.isText("é") })
    }

    @Test func anEmptyBufferDoesNotEqualAText() {
        #expect(!UnsafeRawBufferPointer(start: nil, count: 0).isText("chunked"))
    }
}

@Suite("Characters that a terminal or a log may have") struct HarmlessTextTests {
    @Test func visibleASCIIAndTheBlankAreHarmless() {
        let harmless = (UInt8(0)..<0x80).filter { Unicode.Scalar($0).isHarmless }
        #expect(harmless == Array(0x20...0x7E))
    }

    @Test(
        arguments: ["é", "ß", "名", "👩", "\u{A0}", "\u{301}", "\u{200C}", "\u{200D}", "\u{10FFFD}"]
            as [Unicode.Scalar])
    func charactersOfWordsAreHarmless(_ scalar: Unicode.Scalar) { #expect(scalar.isHarmless) }

    /// C1, soft hyphen, direction marks and overrides, separators, byte order mark, tags.
    @Test(
        arguments: [
            "\u{80}", "\u{85}", "\u{9B}", "\u{9F}", "\u{AD}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}",
            "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FEFF}",
            "\u{E0001}", "\u{E0041}",
        ] as [Unicode.Scalar])
    func charactersThatMoveOrHideOthersAreNotHarmless(_ scalar: Unicode.Scalar) {
        #expect(!scalar.isHarmless)
    }
}
