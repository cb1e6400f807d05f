import HTTPGrammar
import Testing

@Suite struct HostAndPortTests {
    @Test(arguments: [
        ("a.example", "a.example", nil), ("a.example:80", "a.example", 80), ("a.:", "a.", nil),
        ("a:65535", "a", 65535), ("[::1]", "::1", nil), ("[::1]:8", "::1", 8),
        ("127.0.0.1:08", "127.0.0.1", 8),
    ])
    func hostAndPortAreReadAsWritten(_ text: String, host: String, port: Int?) throws {
        let bytes = Array(text.utf8)
        let read = try #require(bytes.withUnsafeBufferPointer { HostAndPort($0) })
        #expect(String(decoding: bytes[read.host], as: UTF8.self) == host)
        #expect(read.port == port)
        #expect(read.isIPv6 == text.hasPrefix("["))
    }

    @Test(arguments: [
        "", ":80", "[]", "[]:80", "[::1", "[::1]8", "[a.b]x", "a:65536", "a:-1", "a:8x", "a:1:2", "user@a",
        "a b", "a,b",
        "a/", "ä",
    ])
    func invalidHostsAndPortsAreRefused(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { HostAndPort($0) } == nil)
    }
}
