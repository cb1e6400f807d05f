import Testing

@testable import Drawbridge

@Suite("Host and port")
struct AuthorityTests {
    @Test(arguments: [
        ("localhost", "localhost", nil), ("Example.COM.:80", "example.com", 80), ("a:", "a", nil),
        ("a:0", "a", 0),
        ("[::1]", "::1", nil), ("[FE80::1]:65535", "fe80::1", 65535), ("10.0.0.1:1", "10.0.0.1", 1),
        ("__jsbridge__", "__jsbridge__", nil), ("a-b_c~d", "a-b_c~d", nil),
    ])
    func anAuthorityIsReadInLowerCaseWithoutATrailingDot(text: String, host: String, port: Int?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
        #expect(authority.isIPv6 == text.hasPrefix("["))
    }

    @Test(arguments: [
        nil, "", ".", ":80", " a", "a b", "a,b", "a/b", "a?b", "a#b", "a@b", "a:b", "a:1:2", "a:+1",
        "a:65536",
        "a: 1", "[::1", "[]", "[a]", "[::1]:x", "[::1]80", "[::1%25lo]", "é", "a\t", "a\u{0}", "a\\b",
    ])
    func anInvalidAuthorityIsRefused(text: String?) {
        #expect(Authority(text) == nil)
    }

    @Test(arguments: [
        ("localhost", true), ("a.localhost", true), ("127.255.0.1", true), ("[::1]", true),
        ("[::ffff:127.0.0.1]", true), ("localhost.example", false), ("127.0.0", false),
        ("127.0.0.0.1", false), ("127.0.08.1", false),
        ("127.0.0.+1", false), ("127.0.0.-0", false), ("127..0.1", false), ("[::]", false),
        ("0.0.0.0", false),
    ])
    func onlyNamesOfThisMachineAreRecognizedAsLocal(text: String, isLoopback: Bool) {
        #expect(Authority(text)?.isLoopback == isLoopback)
    }
}
