import HTTPGrammar
import HTTPTypes
import Testing

@Suite("Names of fields") struct FieldNamesTests {
    private static func name(_ bytes: [UInt8]) -> HTTPField.Name? {
        bytes.withUnsafeBytes { FieldNames.name($0) }
    }

    /// Some are made already, and some are made when they are asked for.
    @Test(arguments: [
        "Accept", "Content-Type", "X-Forwarded-For", "sec-ch-ua-mobile", "Set-Cookie", "ETag",
        "Access-Control-Allow-Credentials", "content-type", "CONTENT-TYPE", "Sec-CH-UA", "X", "X-Own",
        "!#$%&'*+-.^_`|~09azAZ", String(repeating: "x", count: 39), String(repeating: "x", count: 40),
        String(repeating: "Access-", count: 100),
    ])
    func fieldNamesAreKeptAsWritten(_ text: String) throws {
        let name = try #require(Self.name(Array(text.utf8)))
        #expect(name.rawName == text)
        #expect(try name == #require(HTTPField.Name(text)))
    }

    @Test(arguments: [
        "", " ", "Accept ", " Accept", "Accept:", "Content Type", "Content-Type\r", "Content-Typ\0", "Ét",
        "(x)", "a,b", "a/b", "[a]", "a=b", "\"a\"", "\u{7F}", ":authority",
    ])
    func onlyTokensAreFieldNames(_ text: String) { #expect(Self.name(Array(text.utf8)) == nil) }

    /// These have as many bytes as names that are made already.
    @Test(arguments: ["Accepu", "Xccept", "Content-Typo", "Dote"])
    func fieldNamesOfTheSameLengthAreToldApart(_ text: String) throws {
        #expect(try #require(Self.name(Array(text.utf8))).rawName == text)
    }

    @Test func anEmptyBufferIsNotAFieldName() {
        #expect(FieldNames.name(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    @Test func theHostFieldNameIsHost() { #expect(HTTPField.Name.host.rawName == "Host") }
}
