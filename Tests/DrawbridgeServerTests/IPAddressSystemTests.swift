import Drawbridge
import Glibc
import Testing

@testable import DrawbridgeServer

@Suite("Addresses of the system")
struct IPAddressSystemTests {
    @Test func addressesAreReadFromSockets() throws {
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

    @Test func thisMachineHasALoopbackAddress() throws {
        let own = try #require(IPAddress.ofThisMachine()).keys
        #expect(try own.contains(#require(IPAddress("127.0.0.1"))))
    }

    /// Nothing is not the same as none: whoever refuses these addresses would refuse nothing.
    @Test func ownAddressesAreNilWhereTheSystemDoesNotTellThem() {
        #expect(IPAddress.ofThisMachine(listedBy: { _ in -1 }) == nil)
    }
}
