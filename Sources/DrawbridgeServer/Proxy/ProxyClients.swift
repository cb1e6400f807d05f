package import Drawbridge

/// Who may use the forward proxy: this machine, and the addresses that are listed.
package struct ProxyClients: Sendable {
    private let ranges: [AddressRange]

    /// Reads a list of addresses (`192.0.2.7`) and ranges (`10.0.0.0/8`, `fd00::/8`).
    ///
    /// - Throws: a sentence that says what to write instead.
    package init(_ texts: [String] = []) throws(InvalidAddressRange) {
        var ranges: [AddressRange] = []
        for text in texts { ranges.append(try AddressRange(text)) }
        self.ranges = ranges
    }

    /// Whether a caller with this address may use it.
    package func contains(_ address: IPAddress) -> Bool {
        address.isLoopback || ranges.contains { $0.contains(address) }
    }
}
