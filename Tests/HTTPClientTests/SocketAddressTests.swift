import Testing

@testable import HTTPClient

/// The addresses of names.
@Suite("Addresses of host names", .timeLimit(.minutes(5)))
struct SocketAddressTests {
    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "page.localhost"])
    func localhostIsKnownInBothFamiliesWithoutALookup(_ name: String) {
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(SocketAddress.known(name, port: 8)?.map(\.bytes) == [loopback, [127, 0, 0, 1]])
    }

    @Test(arguments: [("127.0.0.1", 4), ("::1", 16)])
    func anAddressAsTextIsUsedAsItIs(_ text: String, _ length: Int) throws {
        let known = try #require(SocketAddress.known(text, port: 8))
        #expect(known.map(\.bytes.count) == [length])
        #expect(try SocketAddress.lookUp("127.0.0.1", port: 8) == SocketAddress.known("127.0.0.1", port: 8))
    }

    @Test(arguments: ["unknown.invalid", "no host"])
    func anUnknownHostNameIsAnErrorThatSaysSo(_ name: String) {
        let error = #expect(throws: TransferError.self) { try SocketAddress.lookUp(name, port: 80) }
        #expect(error?.kind == .unreachable)
        #expect(error?.description.contains(name) == true)
    }
}
