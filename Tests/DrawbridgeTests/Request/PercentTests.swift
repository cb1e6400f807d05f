import Testing

@testable import Drawbridge

@Suite("Percent-encoding")
struct PercentTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41%62", "Ab"), ("%e9%AB%98", "高"), ("%", "%"), ("%4", "%4"),
        ("%zz", "%zz"),
        ("%%41", "%A"), ("%2541", "%41"), ("a+b", "a+b"), ("%+1", "%+1"), ("%-1", "%-1"), ("%00", "\0"),
        ("%FF", nil), ("%C3", nil), ("%C0%AF", nil), ("%ED%A0%80", nil), ("é", "é"), ("%F0%9F%98%80", "😀"),
    ])
    func percentDecodingHappensOnceAndRefusesInvalidUTF8(text: String, decoded: String?) {
        #expect(Percent.decode(text[...].utf8) == decoded)
    }

    @Test func aPlusIsASpaceInQueriesOnly() {
        #expect(Percent.decode("a+b%2B"[...].utf8, plusIsSpace: true) == "a b+")
        #expect(Percent.decode("a+b%2B"[...].utf8) == "a+b+")
    }

    @Test(arguments: [
        ("aZ09-._~", "", "aZ09-._~"), ("a b", "", "a%20b"), ("é", "", "%C3%A9"), ("/a:b", "/", "/a%3Ab"),
        ("\0\r\n", "", "%00%0D%0A"), ("100%", "", "100%25"), ("+&=?#", "", "%2B%26%3D%3F%23"),
        ("😀", "😀", "%F0%9F%98%80"),
    ])
    func percentEncodingKeepsOnlyUnreservedCharacters(text: String, keeping: String, encoded: String) {
        #expect(Percent.encode(text, keeping: keeping) == encoded)
        #expect(Percent.decode(encoded[...].utf8) == text)
    }
}
