import HTTPGrammar
import HTTPTypes
import Testing

@Suite("Fields as C strings") struct FieldTextTests {
    private static func known(_ text: String) -> KnownName? {
        Array(text.utf8).withUnsafeBytes { KnownName($0) }
    }

    @Test(arguments: KnownName.allCases)
    func aKnownNameIsFoundInAnyCase(_ name: KnownName) {
        #expect(Self.known(name.text) == name)
        #expect(Self.known(name.text.uppercased()) == name)
        #expect(Self.known(name.text.prefix(2).uppercased() + name.text.dropFirst(2)) == name)
    }

    /// As long as a known name, with the same first and last letters, or with one letter more or less.
    @Test(arguments: KnownName.allCases)
    func anotherNameIsNotKnown(_ name: KnownName) {
        let text = name.text
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        var other = text
        other.replaceSubrange(middle...middle, with: text.count == 2 ? "ex" : "~")
        #expect(Self.known(other) == nil)
        #expect(Self.known(text + "x") == nil)
        #expect(Self.known("x-" + text) == nil)
        #expect(Self.known(String(text.dropLast())) == nil)
    }

    @Test(arguments: [
        "", "X", "x-other", "_onnection", "connection\u{80}", String(repeating: "c", count: 300),
    ])
    func nothingElseIsKnown(_ text: String) { #expect(Self.known(text) == nil) }

    /// So a name that was added can always be read.
    @Test func theBytesOfATokenAreThoseOfAName() {
        for byte in UInt8.min...UInt8.max {
            let isName = [UInt8(ascii: "a"), byte].withUnsafeBytes { FieldNames.name($0) } != nil
            #expect(isName == ASCIISet.token.contains(byte), "\(byte)")
        }
    }

    @Test func fieldsAreReadAsTheyWereAdded() throws {
        var fields: HTTPFields = [.contentType: "a/b", .accept: ""]
        fields.append(HTTPField(name: try #require(HTTPField.Name("x-B")), value: [0xE9, 0x20, 0xFF]))
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "ä=2"))
        let text = FieldText(fields)
        #expect(text.fields.map(\.name.rawName) == fields.map(\.name.rawName))
        let values = fields.map { $0.withUnsafeBytesOfValue(Array.init) }
        #expect(text.fields.map { $0.withUnsafeBytesOfValue(Array.init) } == values)
        #expect(text.places.map(\.known) == [.contentType, nil, nil, .setCookie, .setCookie])
        #expect(text.bytes.starts(with: Array("Content-Type\0a/b\0Accept\0\0x-B\0".utf8)))
        #expect(text.size == fields.reduce(0) { $0 + $1.name.rawName.utf8.count + 4 } + values.joined().count)
        #expect(text.value(.setCookie) == fields[.setCookie])
        #expect(text.value(.contentType) == "a/b" && text.value(.location) == nil)
    }
}

extension FieldText {
    fileprivate init(_ fields: HTTPFields) {
        self.init()
        for field in fields { append(field) }
    }
}
