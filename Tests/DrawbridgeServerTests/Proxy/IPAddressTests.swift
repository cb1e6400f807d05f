import Drawbridge
import Glibc
import Testing

@testable import DrawbridgeServer

@Suite("Addresses")
struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", false), ("0.0.0.0", "0.0.0.0", false),
        ("255.255.255.255", "255.255.255.255", false),
        ("::", "::", true), ("::1", "::1", true), ("FE80::1%eth0", "fe80::1", true),
        ("2001:DB8:0:0::5", "2001:db8::5", true),
        ("::ffff:192.0.2.7", "192.0.2.7", false), ("::ffff:c000:207", "192.0.2.7", false),
        ("::192.0.2.7", "::192.0.2.7", true), ("64:ff9b::1.2.3.4", "64:ff9b::102:304", true),
    ])
    func areReadAsSocketsShowThem(text: String, shown: String, isIPv6: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == shown)
        #expect(address.isIPv6 == isIPv6)
    }

    @Test(arguments: [
        "", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "2130706433", "[::1]",
        "::1::", "g::",
        "1.2.3.4:80", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\0", "10.0.0.0/8", "%eth0",
    ])
    func areNothingElse(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [
        ("64:ff9b::169.254.169.254", "169.254.169.254"), ("2002:7f00:1::", "127.0.0.1"),
        ("2002:a00:1:5::9", "10.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"), ("64:ff9b:1::1.2.3.4", "64:ff9b:1::102:304"),
        ("2003:7f00:1::", "2003:7f00:1::"),
        ("::1", "::1"), ("10.0.0.1", "10.0.0.1"),
    ])
    func leadWhereATranslatorTakesThem(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).destination.description == expected)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("126.0.0.1", false),
        ("128.0.0.1", false), ("::2", false), ("::", false), ("0.0.0.1", false), ("::7f00:1", false),
    ])
    func ofThisMachineAlone(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }

    @Test func comeFromSockets() throws {
        var old = sockaddr_in()
        old.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "192.0.2.7", &old.sin_addr)
        var new = sockaddr_in6()
        new.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "2001:db8::7", &new.sin6_addr)
        var other = sockaddr()
        other.sa_family = sa_family_t(AF_UNIX)
        func address(_ raw: UnsafeRawBufferPointer) -> IPAddress? {
            raw.withMemoryRebound(to: sockaddr.self) { IPAddress($0.baseAddress!) }
        }
        #expect(withUnsafeBytes(of: &old, address)?.description == "192.0.2.7")
        #expect(withUnsafeBytes(of: &new, address)?.description == "2001:db8::7")
        #expect(withUnsafeBytes(of: &other, address) == nil)
    }

    @Test func thisMachineHasOneForItself() throws {
        let own = try #require(IPAddress.ofThisMachine())
        #expect(try own.contains(#require(IPAddress("127.0.0.1"))))
    }

    /// Nothing is not the same as none: whoever refuses these addresses would refuse nothing.
    @Test func whereTheSystemDoesNotTellThereAreNone() {
        #expect(IPAddress.ofThisMachine(listedBy: { _ in -1 }) == nil)
    }
}
