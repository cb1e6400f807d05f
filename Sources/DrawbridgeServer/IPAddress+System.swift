package import Drawbridge
package import Glibc

extension IPAddress {
    /// The IP address in a socket address; nil for other families.
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
    /// - Parameter list: gets the system's list of them; returns another number than 0 where it fails.
    /// - Returns: the name of an interface for each; nil where the system does not tell, and then a caller that refuses
    ///   these addresses has to refuse all.
    package static func ofThisMachine(
        listedBy list: (UnsafeMutablePointer<UnsafeMutablePointer<ifaddrs>?>) -> Int32 = { getifaddrs($0) }
    ) -> [IPAddress: String]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard list(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var addresses: [IPAddress: String] = [:]
        var next = first
        while let interface = next?.pointee {
            if let address = interface.ifa_addr.flatMap({ IPAddress($0) }) {
                addresses[address] = String(cString: interface.ifa_name)
            }
            next = interface.ifa_next
        }
        return addresses
    }
}
