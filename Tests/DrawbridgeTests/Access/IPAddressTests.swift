import Testing

@testable import Drawbridge

@Suite("IP addresses")
struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", false), ("0.0.0.0", "0.0.0.0", false),
        ("255.255.255.255", "255.255.255.255", false),
        ("::", "::", true), ("::1", "::1", true), ("FE80::1%eth0", "fe80::1", true),
        ("2001:DB8:0:0::5", "2001:db8::5", true),
        ("::ffff:192.0.2.7", "192.0.2.7", false), ("::ffff:c000:207", "192.0.2.7", false),
        ("::192.0.2.7", "::192.0.2.7", true), ("64:ff9b::1.2.3.4", "64:ff9b::102:304", true),
    ])
    func addressesAreNormalizedToTheFormThatSocketsShow(text: String, shown: String, isIPv6: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == shown)
        #expect(address.isIPv6 == isIPv6)
    }

    @Test(arguments: [
        "", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "2130706433", "[::1]",
        "::1::", "g::",
        "1.2.3.4:80", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\0", "10.0.0.0/8", "%eth0",
    ])
    func invalidTextsAreNotReadAsAddresses(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [
        ("64:ff9b::169.254.169.254", "169.254.169.254"), ("2002:7f00:1::", "127.0.0.1"),
        ("2002:a00:1:5::9", "10.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"), ("64:ff9b:1::1.2.3.4", "64:ff9b:1::102:304"),
        ("2003:7f00:1::", "2003:7f00:1::"),
        ("::1", "::1"), ("10.0.0.1", "10.0.0.1"),
    ])
    func aTranslatedIPv6AddressLeadsToTheIPv4AddressInIt(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).destination.description == expected)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("126.0.0.1", false),
        ("128.0.0.1", false), ("::2", false), ("::", false), ("0.0.0.1", false), ("::7f00:1", false),
    ])
    func loopbackAddressesAreKnown(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }
}
