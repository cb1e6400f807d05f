import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// The secret of which a gateway's own secrets are made.
@Suite struct SharedSecretTests {
    /// RFC 4231, sections 4.2, 4.3, 4.4 and 4.7.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func codesAreThoseOfTheStandard(key: [UInt8], data: [UInt8], expected: String) {
        let code = SHA256.code(of: data, key: key).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(code.joined() == expected)
    }

    @Test func eachPurposeHasItsOwnValue() throws {
        let (first, second) = (String(repeating: "s", count: 32), String(repeating: "s", count: 31) + "t")
        let values = try [first, second].flatMap { text in
            let secret = try #require(SharedSecret(text))
            #expect(secret.value(for: "page") == SharedSecret(text)?.value(for: "page"))
            return ["page", "inspector", "inspector's host"].map(secret.value(for:))
        }
        #expect(Set(values).count == 6)
        #expect(values.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func aShortOneIsRefused() {
        #expect(SharedSecret(String(repeating: "s", count: 31)) == nil)
        #expect(SharedSecret("") == nil)
    }
}
