import Drawbridge
import Testing

@testable import DrawbridgeServer

@Suite("Where $forward connects to")
struct ForwardAddressesTests {
    private func refusal(of target: String, port: Int = 80) throws -> String? {
        let addresses = ForwardAddresses(
            ownPorts: [8080, 8443],
            ownAddresses: Set(["127.0.0.1", "192.168.1.2", "2001:db8::2"].compactMap(IPAddress.init)))
        return try addresses.refusal(of: #require(IPAddress(target)), port: port)
    }

    @Test(arguments: [
        ("169.254.169.254", "a cloud's metadata service"), ("100.100.100.200", "a cloud's metadata service"),
        ("192.0.0.192", "a cloud's metadata service"), ("64:ff9b::192.0.0.192", "a cloud's metadata service"),
        ("fd20:ce::254", "a cloud's metadata service"), ("168.63.129.16", "a cloud's metadata service"),
        ("fd00:ec2::254", "a cloud's metadata service"),
        ("::ffff:169.254.169.254", "a cloud's metadata service"),
        ("64:ff9b::169.254.169.254", "a cloud's metadata service"),
        ("2002:a9fe:a9fe::", "a cloud's metadata service"),
        ("2002:a9fe:a9fe:1::2", "a cloud's metadata service"),
        ("64:ff9b::100.100.100.200", "a cloud's metadata service"), ("169.254.0.1", "a link-local address"),
        ("169.254.255.255", "a link-local address"), ("fe80::1", "a link-local address"),
        ("febf:ffff::1", "a link-local address"), ("0.0.0.0", "no address of a host"),
        ("0.1.2.3", "no address of a host"),
        ("::", "no address of a host"), ("::ffff:0.0.0.0", "no address of a host"),
        ("64:ff9b::", "no address of a host"),
        ("2002::", "no address of a host"), ("224.0.0.1", "a multicast address"),
        ("239.255.255.250", "a multicast address"),
        ("ff02::1", "a multicast address"), ("255.255.255.255", "the broadcast address"),
    ])
    func addressesThatMocksMayNotForwardToAreRefused(target: String, kind: String) throws {
        let shown = try #require(IPAddress(target))
        #expect(
            try refusal(of: target)
                == "\(shown) is \(kind), which $forward may not call; name another program")
    }

    @Test(arguments: [
        "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::",
        "192.168.1.2",
        "::ffff:192.168.1.2", "2001:db8::2", "64:ff9b::192.168.1.2",
    ])
    func theGatewaysOwnPortsAreRefused(target: String) throws {
        let shown = try #require(IPAddress(target))
        for port in [8080, 8443] {
            #expect(
                try refusal(of: target, port: port)
                    == "port \(port) of \(shown) is this gateway itself; let $forward name the port of another program"
            )
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::",
    ])
    func otherPortsOfThisMachineAreAllowed(target: String) throws { #expect(try refusal(of: target) == nil) }

    @Test(arguments: [
        ("203.0.113.9", 80), ("203.0.113.9", 8080), ("2001:db8::3", 443), ("2001:db8::3", 8080),
        ("10.0.0.1", 80),
        ("192.168.1.2", 22), ("192.168.1.3", 8080), ("fd00::1", 80), ("fd00:ec2::253", 80),
        ("100.100.100.201", 80),
        ("168.63.129.17", 80), ("169.253.255.255", 80), ("169.255.0.0", 80), ("fec0::1", 80), ("1.0.0.0", 80),
        ("223.255.255.255", 80), ("240.0.0.1", 80), ("255.255.255.254", 80), ("64:ff9b::203.0.113.9", 80),
        ("2002:cb00:7109::1", 8080), ("128.0.0.1", 80), ("::2", 80),
    ])
    func privateAndPublicAddressesAreAllowed(target: String, port: Int) throws {
        #expect(try refusal(of: target, port: port) == nil)
    }

    /// Else it could connect to the gateway itself by an address that it does not know.
    @Test(arguments: ["192.0.2.1", "192.168.1.2", "127.0.0.1", "2001:db8::2"])
    func withoutKnownOwnAddressesEveryAddressIsRefused(target: String) throws {
        let addresses = ForwardAddresses(ownPorts: [8080], ownAddresses: nil)
        let sentence = addresses.refusal(of: try #require(IPAddress(target)), port: 80)
        #expect(sentence?.contains("own addresses") == true)
    }
}
