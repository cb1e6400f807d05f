import Testing

@testable import DrawbridgeMessages

@Suite("Ranges of IP addresses")
struct AddressRangeTests {
    @Test(arguments: [
        ([], "192.0.2.7", false), ([], "::", false), (["192.0.2.7"], "192.0.2.7", true),
        (["192.0.2.7"], "192.0.2.8", false),
        (["192.0.2.7"], "::ffff:192.0.2.7", true), (["192.0.2.7"], "::192.0.2.7", false),
        (["10.0.0.0/8"], "10.255.255.255", true), (["10.0.0.0/8"], "11.0.0.0", false),
        (["10.0.0.0/8"], "9.255.255.255", false),
        (["192.168.1.128/25"], "192.168.1.128", true), (["192.168.1.128/25"], "192.168.1.127", false),
        (["192.0.2.7/32"], "192.0.2.7", true), (["192.0.2.7/32"], "192.0.2.6", false),
        (["0.0.0.0/0"], "203.0.113.9", true),
        (["0.0.0.0/0"], "2001:db8::1", false), (["::/0"], "2001:db8::1", true),
        (["::/0"], "203.0.113.9", false),
        (["fd00::/8"], "fdff::1", true), (["fd00::/8"], "fe00::1", false),
        (["2001:db8::/33"], "2001:db8:7fff::", true),
        (["2001:db8::/33"], "2001:db8:8000::", false), (["2001:db8::7"], "2001:db8::7", true),
        (["2001:db8::7/128"], "2001:db8::8", false), (["::ffff:10.0.0.0/104"], "10.1.2.3", true),
        (["::ffff:10.0.0.0/104"], "11.1.2.3", false), (["::ffff:192.0.2.7"], "192.0.2.7", true),
        (["192.0.2.7", "10.0.0.0/8"], "10.1.1.1", true),
    ])
    func addressesAreMatchedAgainstRanges(list: [String], caller: String, isIn: Bool) throws {
        let (ranges, address) = (try list.map { try AddressRange($0) }, try #require(IPAddress(caller)))
        #expect(ranges.contains { $0.contains(address) } == isIn)
    }

    @Test(arguments: [
        ("", "is not an address; write it as numbers, 192.0.2.7, 10.0.0.0/8 or fd00::/8"),
        ("lan", "is not an address; write it as numbers, 192.0.2.7, 10.0.0.0/8 or fd00::/8"),
        ("10.0.0/8", "is not an address; write it as numbers, 192.0.2.7, 10.0.0.0/8 or fd00::/8"),
        ("fe80::1%eth0", "is not an address; write it as numbers, 192.0.2.7, 10.0.0.0/8 or fd00::/8"),
        ("10.0.0.0/33", "has no valid prefix length; write a number from 0 to 32 after the slash"),
        ("10.0.0.0/", "has no valid prefix length; write a number from 0 to 32 after the slash"),
        ("10.0.0.0/+8", "has no valid prefix length; write a number from 0 to 32 after the slash"),
        ("10.0.0.0/255.0.0.0", "has no valid prefix length; write a number from 0 to 32 after the slash"),
        ("10.0.0.0/8/8", "has no valid prefix length; write a number from 0 to 32 after the slash"),
        ("fd00::/129", "has no valid prefix length; write a number from 0 to 128 after the slash"),
        ("::ffff:10.0.0.0/8", "has no valid prefix length; write a number from 96 to 128 after the slash"),
        (
            "10.0.0.1/8",
            "has bits after its prefix; write 10.0.0.1 for the one address, or zeros for the range"
        ),
        (
            "fd00::1/8",
            "has bits after its prefix; write fd00::1 for the one address, or zeros for the range"
        ),
    ])
    func aWrongRangeIsReportedWithAHint(text: String, problem: String) {
        let error = #expect(throws: InvalidAddressRange.self) { try AddressRange(text) }
        #expect(error?.description == "the address range \(text) \(problem)")
    }
}
