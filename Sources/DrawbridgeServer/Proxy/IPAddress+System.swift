package import Drawbridge
package import Glibc

extension IPAddress {
    /// Takes the address of a socket; nil for one that has none of these.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// The addresses of this machine's network interfaces.
    ///
    /// - Parameter list: makes the system's list of them, and says by another number than 0 that it cannot.
    /// - Returns: nil where the system does not tell: whoever asks in order to refuse these addresses refuses all then.
    package static func ofThisMachine(
        listedBy list: (UnsafeMutablePointer<UnsafeMutablePointer<ifaddrs>?>) -> Int32 = { getifaddrs($0) }
    ) -> Set<IPAddress>? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard list(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = first
        while let interface = next?.pointee {
            if let address = interface.ifa_addr.flatMap({ IPAddress($0) }) { addresses.insert(address) }
            next = interface.ifa_next
        }
        return addresses
    }
}
