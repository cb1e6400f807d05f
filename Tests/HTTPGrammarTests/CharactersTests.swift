import HTTPGrammar
import HTTPTypes
import Testing

/// Each class of characters has what its RFC lists, among all bytes that there are.
@Suite("Classes of characters") struct CharactersTests {
    private static let bytes = UInt8.min...UInt8.max

    private static func all(_ isIn: (UInt8) -> Bool) -> Set<UInt8> { Set(bytes.filter(isIn)) }

    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    @Test func aFieldValueHasVisibleBytesBlanksAndObsText() {
        // Tabulator, blank, what is visible, and obs-text.
        #expect(Self.all(\.isFieldByte) == Set([0x09] + Array(0x20...0x7E) + Array(0x80...0xFF)))
    }

    @Test func aTargetHasVisibleBytesButNoNumberSign() {
        // All that is visible, but for what begins a fragment.
        #expect(Self.all(\.isTargetByte) == Set(0x21...0x7E).subtracting([0x23]))
    }

    @Test func aBlankIsASpaceOrATab() { #expect(Self.all(\.isBlank) == Set(" \t".utf8)) }

    @Test func digitsAreZeroToNine() { #expect(Self.all(\.isDigit) == Set(Self.digits.utf8)) }

    @Test func hexadecimalDigitsHaveTheirValues() {
        let values = Dictionary(
            uniqueKeysWithValues: Self.bytes.compactMap { byte in byte.hexadecimalValue.map { (byte, $0) } })
        let expected = "0123456789abcdefABCDEF".utf8.map { ($0, UInt8(String(UnicodeScalar($0)), radix: 16)) }
        #expect(values == Dictionary(uniqueKeysWithValues: expected).compactMapValues(\.self))
    }

    @Test func lowercasingChangesOnlyCapitalLetters() {
        for byte in Self.bytes {
            let isCapital = Self.letters.suffix(26).utf8.contains(byte)
            #expect(byte.lowercased == (isCapital ? byte + 32 : byte))
        }
    }

    struct Class: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let set: ASCIISet
        let characters: String
    }

    private static let classes = [
        Class(testDescription: "letters", set: .letters, characters: letters),
        Class(testDescription: "token", set: .token, characters: digits + letters + "!#$%&'*+-.^_`|~"),
        // unreserved, sub-delims without the comma, and the percent sign of pct-encoded.
        Class(
            testDescription: "host", set: .host, characters: digits + letters + "-._~" + "!$&'()*+;=" + "%"),
        Class(testDescription: "name", set: .name, characters: digits + letters + "-._"),
        Class(testDescription: "address", set: .address, characters: digits + "abcdef" + "ABCDEF" + ":."),
    ]

    @Test(arguments: classes) func eachSetHasExactlyItsCharacters(_ one: Class) {
        #expect(Self.all(one.set.contains) == Set(one.characters.utf8))
    }

    /// The package that has the fields knows what a token is by itself.
    @Test func tokenBytesAreThoseOfTheHTTPTypesPackage() {
        let names = Self.all { byte in
            HTTPField.Name(String(decoding: [byte], as: UTF8.self)) != nil && byte < 0x80
        }
        #expect(Self.all(ASCIISet.token.contains) == names)
    }
}
